"""Cosine and sine transforms as sums around a Fourier transform, for the kernel small.cl.

Each element that the Fourier transform takes is a sum of two numbers, times complex weights. Each
result is a sum of the real and the imaginary part of an element that the Fourier transform leaves,
times real weights. cl/dctParts.cl has the formulas, with their references.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from .roots import roots_of_unity
from .tables import Table

Sums = tuple[np.ndarray, np.ndarray]  # what is added, and the weights


@dataclass(frozen=True)
class CosineSums:
    """The sums of one cosine or sine transform.

    Attributes
    ----------
    type : int
        The type of the transform, 1 to 4.
    sine : bool
        Whether the transform is a sine transform.
    n : int
        The number of numbers.
    orthogonal : bool
        Whether the numbers at the ends have factors that make the transform an orthogonal one.
    points : int
        The length of the Fourier transform.
    roots : tuple of int
        The roots of unity around it: their order, the first power, the step and the count.
    packed : bool
        Whether two neighbouring real numbers are a point of the Fourier transform.
    """

    type: int
    sine: bool
    n: int
    orthogonal: bool
    points: int
    roots: tuple[int, int, int, int]
    packed: bool

    @property
    def loads(self) -> Sums:
        """The two numbers of each element, int64, and their weights, complex128.

        The shape of both is (elements, 2).
        """
        numbers, weights = _LOADS[self._way](self)
        return self._places(numbers), weights * self._factors(numbers)

    @property
    def results(self) -> Sums:
        """The element of each result, int64, and the weights of its two parts, float64.

        Their shapes are (n,) and (n, 2).
        """
        elements, weights = np.zeros(self.n, np.int64), np.zeros((self.n, 2))
        for number, element, parts in _RESULTS[self._way](self):
            factors = np.ones(len(number))
            if self.orthogonal and self.type < 3:
                factors[self._at_end(number)] = np.sqrt(0.5)
            if self.sine and self.type > 2:
                factors[number % 2 == 1] *= -1
            place = self.n - 1 - number if self.sine and self.type == 2 else number
            elements[place], weights[place] = element, parts * factors[:, None]
        return elements, weights

    @property
    def _way(self) -> tuple[int, bool]:
        return self.type, self.type > 1 and self.n % 2 == 1

    def _at_end(self, number: np.ndarray) -> np.ndarray:
        return (number == 0) | ((number == self.n - 1) & (self.type == 1))

    def _places(self, number: np.ndarray) -> np.ndarray:
        """Return where numbers stand: a sine transform of type 3 or 4 has them in reverse."""
        return self.n - 1 - number if self.sine and self.type > 2 else number

    def _factors(self, number: np.ndarray) -> np.ndarray:
        factors = np.ones(number.shape)
        if self.orthogonal and self.type in (1, 3):
            factors[self._at_end(number)] = np.sqrt(2)
        if self.sine and self.type == 2:
            factors[number % 2 == 1] *= -1
        return factors

    def roots_of_unity(self) -> np.ndarray:
        """Return the roots of unity around the Fourier transform, complex128."""
        order, first, step, count = self.roots
        return roots_of_unity(order, "double", first + step * np.arange(count, dtype=np.int64))

    def real_elements(self, number: np.ndarray, weights: np.ndarray) -> Sums:
        """Return the elements of a Fourier transform of real numbers, each a weighted number."""
        if self.packed:
            return number.reshape(-1, 2), weights.reshape(-1, 2) * (1, 1j)
        unused = np.zeros_like(number)
        return np.stack((number, unused), -1), np.stack((weights, unused), -1) + 0j

    def numbers_in_order(self) -> np.ndarray:
        """Return the number that each point of types 2 and 3 is: the even ones, and odd ones back.

        If n is odd, they begin in the middle, so that no root of unity multiplies the spectrum.
        """
        j, n, h = np.arange(self.n), self.n, self.n // 2
        if n % 2 == 0:
            return np.where(2 * j < n, 2 * j, 2 * (n - 1 - j) + 1)
        even = np.where(j <= h, j + h, j - h - 1)
        return np.where(even % 2 == 0, even, np.where(j <= h, h - j, n + h - j))


# --- what the Fourier transform takes -------------------------------------------------------------


def _loads_1(sums: CosineSums) -> Sums:
    """Return the numbers forward and, without their ends, or negative between zeros, backward."""
    j, n = np.arange(sums.points), sums.n
    if not sums.sine:
        return sums.real_elements(np.where(j < n, j, 2 * n - 2 - j), np.ones(len(j)))
    negative = j > n + 1
    number = np.where(negative, 2 * n + 1 - j, j - 1)
    weights = np.where(negative, -1.0, 1.0)
    weights[[0, n + 1]] = number[[0, n + 1]] = 0
    return sums.real_elements(number, weights)


def _loads_2(sums: CosineSums) -> Sums:
    return sums.real_elements(sums.numbers_in_order(), np.ones(sums.n))


def _loads_3(sums: CosineSums) -> Sums:
    k = np.arange(sums.n // 2 + 1)
    return _with_image(k, sums.n, sums.roots_of_unity().conj())


def _loads_3_odd(sums: CosineSums) -> Sums:
    k = np.arange(sums.n // 2 + 1)
    return _with_image(2 * k, sums.n, (-1.0) ** k)


def _with_image(number: np.ndarray, n: int, weights: np.ndarray) -> Sums:
    """Return numbers and, times -i, those that stand as far from the end; number 0 has none."""
    image = np.where(number, n - number, 0)
    return np.stack((number, image), -1), np.stack((weights, -1j * weights * (number > 0)), -1)


def _loads_4(sums: CosineSums) -> Sums:
    j, w = np.arange(sums.points), sums.roots_of_unity()
    return np.stack((2 * j, sums.n - 1 - 2 * j), -1), np.stack((w, 1j * w), -1)


def _loads_4_odd(sums: CosineSums) -> Sums:
    """Return the numbers where 8 j + 1 falls, folded into the odd numbers below 2 n."""
    quarter, part = np.divmod(8 * np.arange(sums.n) + 1, 2 * sums.n)
    number = np.where(quarter % 2, 2 * sums.n - part, part) // 2
    return sums.real_elements(number, np.where((quarter == 1) | (quarter == 2), -1.0, 1.0))


# --- what it leaves -------------------------------------------------------------------------------

# Each function returns results, in groups: their numbers, the element of each, and the weights of
# the parts of the element.
Groups = list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def _real_part_of_product(weights: np.ndarray) -> np.ndarray:
    """Return the weights of the parts of an element in the real part of its products."""
    return np.stack((weights.real, -weights.imag), -1)


def _results_1(sums: CosineSums) -> Groups:
    k = np.arange(sums.n)
    parts = (0.0, -1.0) if sums.sine else (1.0, 0.0)
    return [(k, k + sums.sine, np.tile(parts, (sums.n, 1)))]


def _results_2(sums: CosineSums) -> Groups:
    k, w = np.arange(sums.n // 2 + 1), 2 * sums.roots_of_unity()
    image = k[1 : (sums.n + 1) // 2]  # the others are their own images
    return [
        (k, k, _real_part_of_product(w)),
        (sums.n - image, image, _real_part_of_product(1j * w[image])),
    ]


def _results_2_odd(sums: CosineSums) -> Groups:
    k = np.arange(sums.n // 2 + 1)
    w = 2 * (-1.0) ** k + 0j
    return [
        (2 * k, k, _real_part_of_product(w)),
        (sums.n - 2 * k[1:], k[1:], _real_part_of_product(1j * w[1:])),
    ]


def _results_3(sums: CosineSums) -> Groups:
    j = np.arange(sums.n)
    if not sums.packed:
        return [(sums.numbers_in_order(), j, np.tile((1.0, 0.0), (sums.n, 1)))]
    return [(sums.numbers_in_order(), j // 2, np.stack((1.0 - j % 2, 1.0 * (j % 2)), -1))]


def _results_4(sums: CosineSums) -> Groups:
    k, w = np.arange(sums.points), 2 * sums.roots_of_unity()
    return [
        (2 * k, k, _real_part_of_product(w)),
        (sums.n - 1 - 2 * k, k, _real_part_of_product(1j * w)),
    ]


def _results_4_odd(sums: CosineSums) -> Groups:
    """Return those of element k, and those of its conjugate, which is element n - k."""
    k, n, w = np.arange(sums.n // 2 + 1), sums.n, 2 * sums.roots_of_unity()
    one, other = (np.where(e % 2, (e - 1) // 2, (e + n - 1) // 2) for e in (k, n - k[1:]))
    conjugate = _real_part_of_product(w[other]) * (1, -1)
    return [(one, k, _real_part_of_product(w[one])), (other, k[1:], conjugate)]


# By the type, and by whether the type has a way of its own for odd lengths and the length is odd.
_LOADS: Mapping[tuple[int, bool], Callable[[CosineSums], Sums]] = {
    (1, False): _loads_1,
    (2, False): _loads_2,
    (2, True): _loads_2,
    (3, False): _loads_3,
    (3, True): _loads_3_odd,
    (4, False): _loads_4,
    (4, True): _loads_4_odd,
}
_RESULTS: Mapping[tuple[int, bool], Callable[[CosineSums], Groups]] = {
    (1, False): _results_1,
    (2, False): _results_2,
    (2, True): _results_2_odd,
    (3, False): _results_3,
    (3, True): _results_3,
    (4, False): _results_4,
    (4, True): _results_4_odd,
}


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SumWeights(Table):
    """The complex weights of the two numbers of each element, and then the weights of the results.

    They are computed on the host.
    """

    sums: CosineSums

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (4 elements + 2 n,), float64."""
        loads, results = self.sums.loads[1], self.sums.results[1]
        return np.concatenate((loads.view(np.float64).ravel(), results.ravel()))


@dataclass(frozen=True)
class SumPlaces(Table):
    """The two numbers of each element, and then the element of each result.

    They are computed on the host.
    """

    sums: CosineSums

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (2 elements + n,), int64."""
        numbers, elements = self.sums.loads[0], self.sums.results[0]
        return np.concatenate((numbers.ravel(), elements))
