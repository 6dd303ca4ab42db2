"""Tables: numbers that kernels read and that the host, or a kernel, computes once.

Each table is a frozen value. A plan holds this value; the runtime asks it for its numbers when it
first needs them, and uploads them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod

import numpy as np

from .precision import COMPLEX_DTYPE, REAL_DTYPE
from .roots import (
    chirp_of,
    in_parts,
    powers_of_generator,
    roots_of_products,
    roots_of_unity,
    spectrum_around,
)

# Points from which on these tables are read from a disk sooner than they are computed.
LONG_SPECTRUM = 2**15
LONG_CHIRP = 2**17
LONG_ROOTS = 2**17


class Table(ABC):
    """What all tables have in common.

    Attributes
    ----------
    takes_long : bool
        Whether the numbers take longer to compute than to read from a disk.
    """

    takes_long = False

    @abstractmethod
    def values(self) -> np.ndarray:
        """Return the numbers, in the type and in the order in which kernels read them."""


@dataclass(frozen=True)
class Joined(Table):
    """Several tables, one behind the other, as real numbers."""

    parts: tuple[Table, ...]
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers of all tables; a complex number is two of them."""
        dtype = REAL_DTYPE[self.precision]
        values = [np.ascontiguousarray(each.values()).ravel() for each in self.parts]
        return np.concatenate(
            [each.view(dtype) if np.iscomplexobj(each) else each.astype(dtype) for each in values]
        )


@dataclass(frozen=True)
class Roots(Table):
    """The roots of unity exp(-2 pi i k / n), 0 <= k < n: computed on the host, uploaded once."""

    n: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n,)."""
        return roots_of_unity(self.n, self.precision)


@dataclass(frozen=True)
class RootSeries(Table):
    """Roots of unity exp(-2 pi i (first + k step) / n), 0 <= k < count: computed on the host."""

    n: int
    first: int
    step: int
    count: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (count,)."""
        powers = self.first + self.step * np.arange(self.count, dtype=np.int64)
        return roots_of_unity(self.n, self.precision, powers)


@dataclass(frozen=True)
class CosinePairRoots(Table):
    """The roots w^k and -i w^5k, w = exp(-2 pi i / (4 n)), 0 <= k < n / 2, of cosinePairs.cl.

    They are computed on the host.
    """

    n: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n / 2, 2)."""
        k = np.arange(self.n // 2, dtype=np.int64)
        return roots_of_unity(4 * self.n, self.precision, np.stack((k, self.n + 5 * k), axis=1))


@dataclass(frozen=True)
class Laplacian(Table):
    """The gains of the second difference along n points of a circle: -4 sin(pi k / n)^2, k < count.

    They are the same as 2 cos(2 pi k / n) - 2, but exact for small k, too.
    """

    n: int
    count: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (count,)."""
        gains = -4 * np.sin(np.pi * (np.arange(self.count) % self.n) / self.n) ** 2
        return gains.astype(REAL_DTYPE[self.precision])


@dataclass(frozen=True)
class SpinFactors(Table):
    """Roots of unity exp(-2 pi i k / n), 0 <= k < n / 2, for an even n.

    The kernel spinFact computes them once, on the device.
    """

    n: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n / 2,)."""
        return roots_of_unity(self.n, self.precision, np.arange(self.n // 2))


@dataclass(frozen=True)
class DigitRoots(Table):
    """Roots of unity by the digits of their exponents: computed on the host, uploaded once.

    Row d of the table holds exp(-2 pi i k 2^(d bits) / n), 0 <= k < 2^bits. There are `digits`
    rows, and every power of the root is a product of one element from each row.
    """

    n: int
    bits: int
    digits: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (digits, 2^bits)."""
        powers = np.arange(1 << self.bits) << self.bits * np.arange(self.digits)[:, None]
        return roots_of_unity(self.n, self.precision, powers)


@dataclass(frozen=True)
class StageTwiddles(Table):
    """The twiddles of Stockham's stages, stage after stage: computed on the host, uploaded once.

    If a stage has the radix R, and S is the product of the radices before it, its twiddles are
    exp(-2 pi i r j / (R S)), 1 <= r < R, 0 <= j < S, row by row.

    With `back`, the twiddles of the stages in reverse order follow.

    A real row of odd length has one real stage of radix `real_radix`: the first stage, or with
    `real_last` the last one. Each butterfly of the real stage keeps only its results (if it is the
    last stage, its points) 0 .. real_radix // 2; in the place of the stage's radix, `radices` holds
    the number of those that are kept.
    """

    radices: tuple[int, ...]
    precision: str
    back: bool = False
    real_radix: int = 0
    real_last: bool = False

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (product of the radices - 1,) each way."""
        if self.real_radix:
            return self._with_real_stage()
        n, powers = prod(self.radices), []  # of the n-th roots: all stages are one computation
        for order in (self.radices, self.radices[::-1])[: 1 + self.back]:
            span = 1
            for radix in order:
                step = n // (radix * span)
                powers.append(step * np.outer(np.arange(1, radix), np.arange(span)).ravel())
                span *= radix
        return roots_of_unity(n, self.precision, np.concatenate(powers))

    def _with_real_stage(self) -> np.ndarray:
        """Return the twiddles of stages one of which, the real stage, keeps half of its results."""
        real_stage = len(self.radices) - 1 if self.real_last else 0
        tables = []
        kept, span = 1, 1  # the results that earlier stages kept, and how many they would be in all
        for number, radix in enumerate(self.radices):
            done = np.arange(kept)
            if number > real_stage:  # of every `real_radix` results, only the first ones were kept
                quotient, done = np.divmod(done, self.radices[real_stage])
                done += quotient * self.real_radix
            whole = self.real_radix if number == real_stage else radix
            factors = np.arange(1, radix), done
            tables.append(roots_of_products(whole * span, self.precision, *factors).ravel())
            kept, span = kept * radix, span * whole
        return np.concatenate(tables)


@dataclass(frozen=True)
class LaneStageTwiddles(Table):
    """The twiddles of a CPU kernel's stages, the last stage first: computed on the host.

    If a stage has the radix R, and S is the product of the radices after it, its twiddles are
    exp(-2 pi i j k / (R S)), 0 <= j < S, 1 <= k < R, row by row.
    """

    radices: tuple[int, ...]
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (product of the radices - 1,)."""
        n, powers = prod(self.radices), []  # of the n-th roots: all stages are one computation
        below = 1
        for radix in reversed(self.radices):
            step = n // (radix * below)
            powers.append(step * np.outer(np.arange(below), np.arange(1, radix)).ravel())
            below *= radix
        return roots_of_unity(n, self.precision, np.concatenate(powers))


@dataclass(frozen=True)
class LaneTwiddles(Table):
    """The twiddles between the rows and the columns of a matrix, for lanes: computed on the host.

    For each block of `lanes` columns c they are exp(-2 pi i r c / (rows columns)), 1 <= r < rows,
    each vector of lanes `together` times. The last block may overlap the one before it. The real
    parts of all lanes come before their imaginary parts. shuffles.cl says what `halved` means for
    the order of the lanes.
    """

    rows: int
    columns: int
    lanes: int
    precision: str
    together: int = 1
    halved: bool = False

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (blocks, rows - 1, 2, lanes x together)."""
        first = np.minimum(np.arange(0, self.columns, self.lanes), self.columns - self.lanes)
        column = first[:, None, None] + np.tile(np.arange(self.lanes), self.together)
        powers = np.arange(1, self.rows)[:, None] * column
        return in_parts(
            roots_of_unity(self.rows * self.columns, self.precision, powers), self.halved
        )


@dataclass(frozen=True)
class LaneRoots(Table):
    """Roots of unity exp(-2 pi i k c / n), 0 <= k < points, 0 <= c < lanes: computed on the host.

    For each k the real parts of all lanes c come before their imaginary parts. shuffles.cl says
    what `halved` means for the order of the lanes.
    """

    n: int
    points: int
    lanes: int
    precision: str
    halved: bool = False

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (points, 2, lanes)."""
        factors = np.arange(self.points), np.arange(self.lanes)
        return in_parts(roots_of_products(self.n, self.precision, *factors), self.halved)


@dataclass(frozen=True)
class BlockRoots(Table):
    """Roots of unity exp(-2 pi i k c / n), 0 <= k < points, for the first lane c of each block."""

    n: int
    points: int
    blocks: int
    lanes: int
    precision: str

    @property
    def takes_long(self) -> bool:  # type: ignore[override]
        """Whether the roots are many."""
        return self.blocks * self.points >= LONG_ROOTS

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (blocks, points)."""
        factors = self.lanes * np.arange(self.blocks), np.arange(self.points)
        return roots_of_products(self.n, self.precision, *factors)


@dataclass(frozen=True)
class Chirp(Table):
    """Bluestein's chirp exp(-pi i k^2 / n), 0 <= k < n: computed on the host, uploaded once."""

    n: int
    precision: str

    @property
    def takes_long(self) -> bool:  # type: ignore[override]
        """Whether the chirp is a long one."""
        return self.n >= LONG_CHIRP

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n,)."""
        return chirp_of(self.n, self.precision)


@dataclass(frozen=True)
class ChirpSpectrum(Table):
    """The spectrum of the conjugate chirp, divided by m: computed on the host.

    The convolution has m points, m being the product of `factors`; dividing by m here spares the
    transform back its scale. The chirp stands symmetrically around point 0. If the transform of m
    points has several steps, one for each factor, the spectrum is in the order in which the steps
    leave their results.
    """

    n: int
    factors: tuple[int, ...]
    precision: str

    @property
    def takes_long(self) -> bool:  # type: ignore[override]
        """Whether the spectrum is a long one."""
        return prod(self.factors) >= LONG_SPECTRUM

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (m,)."""
        conjugate = chirp_of(self.n, self.precision, COMPLEX_DTYPE["double"]).conj()
        spectrum = spectrum_around(conjugate, conjugate[:0:-1], prod(self.factors))
        rounded = spectrum.astype(COMPLEX_DTYPE[self.precision])
        return rounded.reshape(self.factors[::-1]).transpose().ravel()


@dataclass(frozen=True)
class PowersOfGenerator(Table):
    """The powers g^0 .. g^(n-2) of a generator g modulo the prime n, and then those of 1 / g.

    They are computed on the host. Each row holds every number from 1 to n - 1 once. The prime is
    below 2^16.

    With `cosine`, which is the type of a cosine transform of n numbers, 2 or 3, the rows tell where
    numbers with these powers wait in raderCosine.cl.
    """

    n: int
    cosine: int = 0

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (2, n - 1), uint16."""
        powers = powers_of_generator(self.n)
        inverse = np.concatenate((powers[:1], powers[:0:-1]))
        if self.cosine == 2:
            powers, inverse = self._in_row(powers), 2 * inverse % self.n
        elif self.cosine == 3:
            powers, inverse = 2 * powers % self.n, self._in_row(inverse)
        return np.stack((powers, inverse)).astype(np.uint16)

    def _in_row(self, j: np.ndarray) -> np.ndarray:
        """Return where element j stands in a row (number_of_element in dctParts.cl)."""
        n, h = self.n, self.n // 2
        even = np.where(j <= h, j + h, j - h - 1)
        return np.where(even % 2 == 0, even, np.where(j <= h, h - j, n + h - j))


@dataclass(frozen=True)
class RaderSpectrum(Table):
    """The spectrum of Rader's convolution, divided by its length n - 1: computed on the host.

    For a prime n and its generator g, the convolution is with the roots exp(-2 pi i g^-q / n),
    0 <= q < n - 1.
    """

    n: int
    precision: str

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n - 1,)."""
        _, inverse = PowersOfGenerator(self.n).values()
        roots = roots_of_unity(self.n, self.precision, inverse, COMPLEX_DTYPE["double"])
        spectrum = spectrum_around(roots, roots[:0], self.n - 1)
        return spectrum.astype(COMPLEX_DTYPE[self.precision])


@dataclass(frozen=True)
class RealRaderSpectrum(Table):
    """The factors of Rader's convolution of real numbers, two of which are a point.

    They are computed on the host. For a prime n = 2h + 1 and its generator g, the convolution of 2h
    real numbers is with cos(2 pi g^-q / n) - sin(2 pi g^-q / n), whose spectrum is B. If Z is the
    spectrum of its points, that of the result's points is

        alpha[k] Z[k] + beta[k] conj(Z[(h - k) mod h]),

    where, with S = (B[k] + B[k + h]) / 2 and D = (B[k] - B[k + h]) / 2,

        alpha[k] = S - D sin(pi k / h)    and    beta[k] = i D cos(pi k / h).

    Both are divided by h, which spares the transform back its scale.
    """

    n: int
    precision: str

    def values(self) -> np.ndarray:
        """Return alpha and then beta; their shape is (2, h)."""
        h, wide = self.n // 2, COMPLEX_DTYPE["double"]
        _, inverse = PowersOfGenerator(self.n).values()
        roots = roots_of_unity(self.n, self.precision, inverse, wide)
        spectrum = spectrum_around(roots.real + roots.imag, roots[:0], 2 * h)  # is B / 2h
        sums, differences = spectrum[:h] + spectrum[h:], spectrum[:h] - spectrum[h:]
        turns = roots_of_unity(2 * h, self.precision, np.arange(h), wide)
        factors = sums + differences * turns.imag, 1j * differences * turns.real
        return np.stack(factors).astype(COMPLEX_DTYPE[self.precision])


@dataclass(frozen=True)
class LaneChirp(Table):
    """Bluestein's chirp of n points in vectors of `lanes` lanes: computed on the host.

    Zeros fill the last vector. In each vector the real parts of all lanes come before their
    imaginary parts. shuffles.cl says what `halved` means for the order of the lanes.
    """

    n: int
    lanes: int
    precision: str
    halved: bool = False

    @property
    def takes_long(self) -> bool:  # type: ignore[override]
        """Whether the chirp is a long one, which is computed and put into vectors."""
        return self.n >= LONG_CHIRP

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (vectors, 2, lanes)."""
        whole = np.zeros(-(-self.n // self.lanes) * self.lanes, COMPLEX_DTYPE[self.precision])
        whole[: self.n] = chirp_of(self.n, self.precision)
        return in_parts(whole.reshape(-1, self.lanes), self.halved)


@dataclass(frozen=True)
class LaneSpectrum(Table):
    """The spectrum of `ChirpSpectrum` as a matrix in blocks of rows, one row for each lane.

    The first of `factors` is the number of rows, a multiple of `lanes`. The real parts of all lanes
    come before their imaginary parts. shuffles.cl says what `halved` means for the order of the
    lanes.
    """

    n: int
    factors: tuple[int, ...]
    lanes: int
    precision: str
    halved: bool = False

    @property
    def takes_long(self) -> bool:  # type: ignore[override]
        """Whether the spectrum is a long one."""
        return prod(self.factors) >= LONG_SPECTRUM

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (blocks, places of a row, 2, lanes)."""
        whole = ChirpSpectrum(self.n, self.factors, self.precision).values()
        rows = whole.reshape(-1, self.lanes, prod(self.factors[1:]))
        return in_parts(rows.swapaxes(1, 2), self.halved)


@dataclass(frozen=True)
class Constants(Table):
    """A short list of integers (int64) that is uploaded once."""

    integers: tuple[int, ...]

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (integers,), int64."""
        return np.array(self.integers, np.int64)
