"""One axis of a cosine or sine transform: the Fourier transform within it, and its roots."""

from __future__ import annotations

from dataclasses import dataclass

from .problem import Problem


@dataclass(frozen=True)
class CosineAxis:
    """One axis of a cosine or sine transform.

    Attributes
    ----------
    type : int
        1 to 4.
    sine : bool
        Whether it is a sine transform.
    n : int
        Numbers along the axis.
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
        """Whether type 4 is a transform of real numbers rather than of half as many pairs."""
        return self.type == 4 and self.n % 2 == 1

    @property
    def kind(self) -> str:
        """Kind of the Fourier transform."""
        if self.type == 3:
            return "c2r"
        return "c2c" if self.type == 4 and not self.odd else "r2c"

    @property
    def points(self) -> int:
        """Its length."""
        if self.type == 1:
            return 2 * (self.n + 1 if self.sine else self.n - 1)
        return self.n // 2 if self.kind == "c2c" else self.n

    @property
    def roots(self) -> tuple[int, int, int, int]:
        """Order of the roots of unity before it or behind it, their first power, step and count."""
        if self.type == 4:
            return (8 * self.n, 1, 2, self.n) if self.odd else (16 * self.n, 1, 8, self.points)
        return 4 * self.n, 0, 1, self.n // 2 + 1
