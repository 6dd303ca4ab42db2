"""Contiguous rows on CPUs: each row is a matrix whose rows stand in the lanes of a vector.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
F. Franchetti, M. Pueschel, "Short vector code generation for the discrete Fourier transform",
IPDPS 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..batch import Batch
from ..factor import FEW_POINTS, MANY_POINTS, lane_rows
from ..parameters import Parameters
from ..pass_parts import listed
from ..passes import Argument, Pass
from ..problem import Problem
from ..tables import LaneTwiddles, Roots
from ..traits import Traits
from .ends import whole_ends
from .lanes import (
    LINE_BYTES,
    Lanes,
    is_kept,
    lanes_for,
    lanes_pass,
    most_lanes,
    past_the_caches,
    radices_for,
    takes,
    walkable,
)
from .solver import Solver
from .steps import axis_batch, axis_length

SLOW_DISTANCE = 1024  # bytes between results: a CPU writes them past the caches slowly
STAGES_DEPTH_FIRST = 3  # with no more stages than these, the last one need not store in order


@dataclass(frozen=True)
class Split:
    """How a row of points becomes a matrix.

    Attributes
    ----------
    rows : int
        The number of rows of the matrix. They stand in the first lanes of the vectors.
    lanes : Lanes
        How the rows of the matrix are transformed, each in a lane of its own.
    together : int
        The number of matrices that stand side by side in a vector.
    collected : bool
        Whether the results of a row wait in scratch memory until they can be stored as one run.
    """

    rows: int
    lanes: Lanes
    together: int = 1
    collected: bool = False


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if the axis is contiguous and its rows split into lanes, or else None."""
    if not takes(problem, traits) or (problem.kind != "c2c" and axis_length(problem) % 2):
        return None
    batch = _batch(problem)
    found = split(problem, batch, traits, parameters)
    if found is None or _better_side_by_side(problem, batch, found, traits):
        return None
    n, rows, lanes = batch.n, found.rows, found.lanes
    side = lanes.width // found.together
    halved = lanes.halved and found.together == 1
    turns = LaneTwiddles(rows, n // rows, side, problem.precision, found.together, halved)
    tables: dict[str, Argument] = {"turns": turns}
    ends = whole_ends(problem)
    source, target = ends.source, ends.target
    macros: dict[str, int | str] = {
        "SOURCE": source,
        "TARGET": target,
        "ROWS": rows,
        "M": n // rows,
        "RADICES": listed(lanes.radices),
    }
    if problem.kind != "c2c":
        tables["roots"] = Roots(2 * n, problem.precision)
    if found.together > 1:
        macros["TOGETHER"] = found.together
    if ends.filled < ends.wanted:
        macros["FILLED"] = ends.filled
    if found.collected:
        macros["COLLECTED"] = 1
    elif _stores_in_order(problem, lanes, traits, parameters):
        macros["IN_ORDER"] = 1
    step = f"{batch.count} x {n} = {'x'.join(map(str, (rows, *lanes.radices)))}"
    return (
        lanes_pass(
            "row",
            problem,
            batch,
            lanes,
            tuple(each.extent for each in batch.dimensions),
            tables,
            macros,
            traits,
            parameters,
            cached=is_kept(problem, traits),
            scale=problem.scale / (2 if problem.kind == "r2c" else 1),  # real rows come out doubled
            step=step if problem.kind == "c2c" else f"{step} packed",
        ),
    )


def split(problem: Problem, batch: Batch, traits: Traits, parameters: Parameters) -> Split | None:
    """Return how rows become matrices, or None if another solver should transform them."""
    n = batch.n
    if not walkable(batch) or batch.source.unit != 1 or batch.target.unit != 1:
        return None
    found = lane_rows(n, most_lanes(problem, traits))
    if found is None:
        return None
    width, rows = found
    together = _rows_together(problem, batch, width, traits) if rows == width else 1
    radices = radices_for(n // rows, parameters, fit=_points_that_fit(traits))
    all_lanes = rows == width == most_lanes(problem, traits)
    collected = all_lanes and _collects(problem, n, radices, traits, parameters)
    rooms = 1 if problem.kind == "c2c" and not collected else 2
    lanes = lanes_for(problem, together * width, radices, traits, parameters, rooms)
    if lanes is None:
        return None
    # If there are fewer rows than cores, several cores should share a long row (four_step).
    alone = batch.count < traits.compute_units
    if alone and lanes.scratch_bytes > parameters["lanes_alone"]:
        return None
    return Split(rows, lanes, together, collected)


def _better_side_by_side(problem: Problem, batch: Batch, found: Split, traits: Traits) -> bool:
    """Whether `cols` is better: it fills all lanes with rows, and this solver leaves some empty."""
    most = most_lanes(problem, traits)
    return found.together * found.rows < most and batch.count >= 2 * most * traits.compute_units


def _rows_together(problem: Problem, batch: Batch, width: int, traits: Traits) -> int:
    """Return how many rows share a vector: 2 if it has room and there are many rows, or else 1."""
    ends = whole_ends(problem)
    plain = ends.source == ends.target == "COMPLEX" and ends.filled == ends.wanted
    enough = batch.count >= 2 * traits.compute_units
    fit = 2 * width <= most_lanes(problem, traits)
    return 2 if plain and enough and fit and not problem.hooks else 1


def _points_that_fit(traits: Traits) -> int:
    """Return how many points of a stage fit the registers."""
    # Heeding 16 registers takes 9 % off the time of rows of 2^16 points, 10 % off 8192, 5 % off
    # 4096, and adds up to 4 % to few others (Intel's runtime, told to use AVX2 alone).
    return MANY_POINTS if traits.vector_registers > 16 else FEW_POINTS


def _collects(
    problem: Problem,
    n: int,
    radices: tuple[int, ...] | None,
    traits: Traits,
    parameters: Parameters,
) -> bool:
    """Whether the results of a row should wait until they can be stored past the caches as one run.

    The results of the last stage's codelet are stored n / radix points apart. If this distance is a
    multiple of `SLOW_DISTANCE`, a CPU writes past the caches more slowly. Half a spectrum waits
    anyway.
    """
    # On an EPYC with AVX2 this takes 14 % off the time of 1024 points, 18 % off 2048 and 8 % off
    # 4096 with Intel's runtime, and 31, 24 and 11 % with PoCL; in double precision it takes 14 and
    # 18 % off 1024 points. Rows whose results are other distances apart (512, 1000, 1536, 10000
    # points) would take 2 to 8 % more time. AVX-512 has not been measured.
    if radices is None or problem.hooks or problem.kind not in ("c2c", "c2r"):
        return False
    itemsize = problem.complex_dtype.itemsize
    return (
        past_the_caches(problem, traits, parameters)
        and n // radices[-1] * itemsize % SLOW_DISTANCE == 0
        and 2 * n * itemsize <= parameters["lanes_local"]
    )


def _stores_in_order(
    problem: Problem, lanes: Lanes, traits: Traits, parameters: Parameters
) -> bool:
    """Whether the last stage should store its results in order, as ascending streams.

    Where results are written past the caches, that is quicker than depth first for rows of many
    stages. Half a spectrum is stored in order anyway.
    """
    # Rows of 16384 points take 15 % less time in order (an EPYC with AVX2, Intel's runtime).
    # AVX-512 has not been measured.
    whole_lines = lanes.width * problem.complex_dtype.itemsize >= LINE_BYTES
    return (
        past_the_caches(problem, traits, parameters)
        and whole_lines
        and len(lanes.radices) > STAGES_DEPTH_FIRST
        and problem.kind != "r2c"
    )


def _batch(problem: Problem) -> Batch:
    """Return the batch of rows; of real numbers, two neighbours are one point."""
    n = axis_length(problem)
    if problem.kind == "c2c":
        return axis_batch(problem, n)
    return axis_batch(problem, n // 2, columns=(2, 1) if problem.kind == "r2c" else (1, 2))


SOLVER = Solver(
    "row",
    "contiguous rows of a smooth length, one for each core if long, on a CPU with vectors",
    plan,
)
