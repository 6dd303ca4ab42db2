"""One axis of a cosine or sine transform: the Fourier transform and the roots that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from .problem import Problem


@dataclass(frozen=True)
class CosineAxis:
    """One axis of a cosine or sine transform.

    Attributes
    ----------
    type : int
        The type of the transform, 1 to 4.
    sine : bool
        Whether the transform is a sine transform.
    n : int
        The number of elements along the axis.
    """

    type: int
    sine: bool
    n: int

    @classmethod
    def of(cls, problem: Problem) -> CosineAxis:
        """Return the one axis of a problem."""
        return cls(int(problem.kind[-1]), problem.kind[:3] == "dst", problem.shape[problem.axes[0]])

    @property
    def odd(self) -> bool:
        """Whether the type is 4 and the length odd; only then is type 4 a real transform."""
        return self.type == 4 and self.n % 2 == 1

    @property
    def kind(self) -> str:
        """The kind of the Fourier transform."""
        if self.type == 3:
            return "c2r"
        return "c2c" if self.type == 4 and not self.odd else "r2c"

    @property
    def points(self) -> int:
        """The length of the Fourier transform."""
        if self.type == 1:
            return 2 * (self.n + 1 if self.sine else self.n - 1)
        return self.n // 2 if self.kind == "c2c" else self.n

    @property
    def roots(self) -> tuple[int, int, int, int]:
        """The roots of unity around the Fourier transform: order, first power, step and count."""
        if self.type == 4:
            return (8 * self.n, 1, 2, self.n) if self.odd else (16 * self.n, 1, 8, self.points)
        return 4 * self.n, 0, 1, self.n // 2 + 1
