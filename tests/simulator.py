"""Plans run in NumPy, pass by pass, from the passes' own macros and arguments.

So every index, factor and buffer of a plan is tested on devices that nobody here has. What is read
before it was written is not a number, and stays so in the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import scipy.fft

from pyclfft.planning.arguments import Buffer, Scalar, Vector
from pyclfft.planning.cosine_sums import SumPlaces, SumWeights
from pyclfft.planning.tables import (
    BlockRoots,
    Chirp,
    ChirpSpectrum,
    Constants,
    DigitRoots,
    LaneChirp,
    LaneRoots,
    LaneSpectrum,
    LaneStageTwiddles,
    LaneTwiddles,
    Roots,
    RootSeries,
    StageTwiddles,
    Table,
)
from tests.oracle import expected_of, places

POISON = 0xFF  # a byte: floating point numbers of it are not numbers
INVERSE_IN, INVERSE_OUT, CONJUGATE_IN, CONJUGATE_OUT = 1, 2, 4, 8  # flags of batch.cl
UINTS, LONGS = ("uint32",), ("int64",)


def memory(nbytes):
    """A buffer of poison."""
    return np.full(nbytes, POISON, np.uint8)


def simulate(schedule, source, out_bytes, *, in_place=False):
    """Return the bytes of "out", given those of "in"."""
    buffers = {"in": source.copy()}
    buffers["out"] = buffers["in"] if in_place else memory(out_bytes)
    for name, nbytes in schedule.workspace:
        buffers[name] = memory(nbytes)
    for _, run in groupby(schedule.passes, key=lambda each: id(each.computes or each)):
        passes = list(run)
        used = [
            [buffers[a.name] for a in each.arguments.values() if isinstance(a, Buffer)]
            for each in passes
        ]
        if passes[0].computes:
            simulate_computed(passes, used)
        else:
            SIMULATED[passes[0].kernel](passes[0], *used[0])
    if not in_place:
        np.testing.assert_array_equal(buffers["in"], source)
    return buffers["out"]


def numbers(each):
    """A pass's macros that are numbers."""
    return {name: int(value) for name, value in each.defines if re.fullmatch(r"\d+", value)}


def listed(each, name):
    """The radices of a macro that is a list, or None if the pass has no such macro."""
    text = dict(each.defines).get(name)
    if text is None:
        return None
    members = [int(number) for number in text.split(",")]
    assert len(members) == 8  # as template.cl says
    return [radix for radix in members if radix > 1] or [1]


def scalars(each):
    return [argument.value for argument in each.arguments.values() if isinstance(argument, Scalar)]


def elements(each, buffer, real=False):
    """A buffer as numbers of the pass's precision."""
    double = numbers(each)["DOUBLE"]
    return buffer.view(("f8" if double else "f4") if real else ("c16" if double else "c8"))


# --- stockham -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stockham:
    """Macros of batch.cl and numbers.cl, with defaults, and the kernel's arguments by name."""

    macros: dict[str, int]
    source: str
    target: str
    twiddles: StageTwiddles
    roots: DigitRoots | Roots | None
    chirp: Chirp | None
    spectrum: ChirpSpectrum | None
    count: int
    extents: tuple[int, ...]
    src_distances: tuple[int, ...]
    dst_distances: tuple[int, ...]
    src_axis: tuple[int, int]
    dst_axis: tuple[int, int]
    partner: tuple[int, int]
    lone: int
    scale: float
    flags: int


def stockham_of(each):
    """Read a pass, and check that its arguments are of the kernel's types in the kernel's order."""
    given, text = numbers(each), dict(each.defines)
    n = given["N"]
    columns = [given.get(f"{name}_COLUMNS", 1) for name in ("SRC", "DST")]
    defaults = {
        **dict.fromkeys(("COLUMNS_0", "COLUMNS_1", "COLUMNS_2", "COLUMNS_3"), 0),
        **dict.fromkeys(("PACKED", "REAL_RADIX", "SRC_TOGETHER", "DST_TOGETHER"), 0),
        **dict.fromkeys(
            ("PAIR", "PAIR_DIMENSION", "TWIST", "TWIST_FIRST", "CHIRP_FIRST", "CHIRP_LAST"), 0
        ),
        **{
            "SPECTRUM": 0,
            "DIMENSIONS": 1,
            "DIGITS": 2,
            "SRC_COLUMNS": 1,
            "DST_COLUMNS": 1,
            "LENGTH": n,
        },
        **{"FILLED": n * columns[0], "OUTPUTS": n * columns[1], "FOLD": columns[1]},
    }
    macros = {**defaults, **given}
    tables = [argument for argument in each.arguments.values() if isinstance(argument, Table)]
    types = [StageTwiddles]
    types += [DigitRoots] if macros["TWIST"] else [Roots] if macros["PACKED"] else []
    types += [Chirp] if macros["CHIRP_FIRST"] or macros["CHIRP_LAST"] else []
    types += [ChirpSpectrum] if macros["SPECTRUM"] else []
    assert [type(table) for table in tables] == types
    rest = list(each.arguments.values())[2 + len(tables) :]
    assert [(type(argument), argument.dtype) for argument in rest] == [
        (Scalar, "uint32"), (Vector, "uint32"), *[(Vector, "int64")] * 5, (Scalar, "uint32"),
        (Vector, "float64" if macros["DOUBLE"] else "float32"), (Scalar, "uint32"),
    ]  # fmt: skip
    values = [a.value if isinstance(a, Scalar) else a.values for a in rest]
    values[-2] = sum(values[-2])  # the scale is in two parts
    assert [len(value) for value in values[1:7]] == [4, 4, 4, 2, 2, 2]
    others = (
        next((table for table in tables if isinstance(table, kind)), None)
        for kind in (DigitRoots | Roots, Chirp, ChirpSpectrum)
    )
    ends = text.get("SOURCE", "COMPLEX"), text.get("TARGET", "COMPLEX")
    return Stockham(macros, *ends, tables[0], *others, *values)


@dataclass(frozen=True)
class Places:
    """Of every point of all transforms: element of the axis, place in memory, whether it counts."""

    element: np.ndarray
    place: np.ndarray
    valid: np.ndarray
    column: np.ndarray
    partner: np.ndarray


def locate(batch, side):
    """What `locate` of batch.cl finds, for all transforms, and the places of all their points."""
    macros = batch.macros
    distances, (first, unit), partner = {
        "SRC": (batch.src_distances, batch.src_axis, batch.partner[0]),
        "DST": (batch.dst_distances, batch.dst_axis, batch.partner[1]),
    }[side]
    assert macros.get(f"{side}_UNIT", unit) == unit
    rest = np.arange(batch.count)
    begin, column = np.full(batch.count, first), np.zeros(batch.count, int)
    partners = np.full(batch.count, partner)
    for d in range(macros["DIMENSIONS"]):
        last = d + 1 == macros["DIMENSIONS"]
        coordinate = rest if last else rest % batch.extents[d]
        rest = rest if last else rest // batch.extents[d]
        begin += coordinate * distances[d]
        column += coordinate * macros[f"COLUMNS_{d}"]
        if d == macros["PAIR_DIMENSION"]:
            partners[coordinate == batch.lone] = 0
    points = np.arange(macros["N"]) * macros[f"{side}_COLUMNS"]
    element = column[:, None] + points
    valid = valid_at(macros, side, "FILLED" if side == "SRC" else "OUTPUTS", element)
    return Places(
        element, begin[:, None] + points * unit, valid, column[:, None], partners[:, None]
    )


def valid_at(macros, side, limit, element):
    """Where elements count; of all that there are, none is asked."""
    return (element < macros[limit]) | (macros[limit] >= macros["N"] * macros[f"{side}_COLUMNS"])


def turn(z):
    return z.imag + 1j * z.real


def values_at(array, places, valid):
    assert np.all((places[valid] >= 0) & (places[valid] < array.size))
    return np.where(valid, array[np.where(valid, places, 0)], 0)


def loaded(batch, source):
    """Points as load.cl has them."""
    macros, at = batch.macros, locate(batch, "SRC")
    if macros["PACKED"] and batch.source == "HERMITIAN":
        z = joined(batch, source, at)
    elif batch.source == "HERMITIAN":
        length = macros["LENGTH"]
        image = np.minimum(at.element, length - at.element)
        valid = (at.element < length) | (length >= macros["N"] * macros["SRC_COLUMNS"])
        valid &= (image < macros["FILLED"]) | (macros["FILLED"] > length // 2)
        place = at.place + (image - at.element) * batch.src_axis[1]
        own = (at.element == 0) | (2 * at.element == length)
        conjugated = (2 * at.element > length) != bool(batch.flags & CONJUGATE_IN)

        def half(places):
            z = values_at(source, places, valid)
            z = np.where(own, z.real, z)
            return np.where(conjugated, z.conj(), z)

        z = half(place)
        if macros["PAIR"]:
            z = z + 1j * half(place + at.partner)
    else:
        z = values_at(source, at.place, at.valid)
        if macros["PAIR"] or macros["PACKED"]:
            second = at.element + (1 if macros["PACKED"] else partner_columns(macros))
            filled = at.valid & valid_at(macros, "SRC", "FILLED", second)
            if macros["SRC_TOGETHER"]:
                check_together(at, batch.src_axis, filled == at.valid)
            z = z + 1j * values_at(source, at.place + distance(batch, at, "SRC"), filled)
    if batch.flags & INVERSE_IN:
        z = z.conj()
    if macros["CHIRP_FIRST"]:
        z = times_chirp(batch, z, numbered(batch, at))
    return twisted(batch, z, at.column) if macros["TWIST_FIRST"] else z


def partner_columns(macros):
    """How many columns of the axis a partner is away."""
    return macros[f"COLUMNS_{macros['PAIR_DIMENSION']}"] // 2


def numbered(batch, at):
    """Points of the axis: of packed ones an element is a number."""
    return (
        np.broadcast_to(np.arange(batch.macros["N"]), at.place.shape)
        if batch.macros["PACKED"]
        else at.element
    )


def distance(batch, at, side):
    """How far the imaginary part of a point is from the real one."""
    axis = batch.src_axis if side == "SRC" else batch.dst_axis
    return axis[1] if batch.macros["PACKED"] else at.partner


def check_together(at, axis, alike):
    """Both numbers of a point are moved as one: side by side, aligned, and both there or not."""
    assert axis[1] == 1
    assert not np.any(at.place[at.valid] % 2)
    assert np.all(alike)


def factors(batch):
    """-i W^k, W the root of unity of the real row's length, for the points of the axis."""
    length = batch.macros["LENGTH"]
    assert batch.roots.n == 2 * length
    return -1j * np.exp(-1j * np.pi * np.arange(length) / length)


def joined(batch, source, at):
    """Points of which even and odd numbers are the parts, from the spectrum of all numbers."""
    macros = batch.macros
    length = macros["LENGTH"]
    numbers = np.arange(length + 1)
    places = at.place[:, :1] + numbers * batch.src_axis[1]
    valid = np.broadcast_to(numbers < macros["FILLED"], places.shape)
    half = values_at(source, places, valid)
    half[:, [0, -1]] = half[:, [0, -1]].real
    half = half.conj() if batch.flags & CONJUGATE_IN else half
    mirrored = half[:, :0:-1].conj()
    half = half[:, :-1]
    points = np.zeros(at.place.shape, complex)
    points[:, :length] = half + mirrored + factors(batch).conj() * (half - mirrored)
    return points


def separated(batch, z):
    """The spectrum of a real row, from that of points whose parts are even and odd numbers."""
    z = z[:, : batch.macros["LENGTH"]]
    mirrored = np.roll(z[:, ::-1], 1, axis=1).conj()
    even, odd = z + mirrored, factors(batch) * (z - mirrored)
    return np.hstack([even + odd, (even - odd)[:, :1].conj()])


def times_chirp(batch, z, element):
    values = Chirp(batch.chirp.n, "double").values()
    inside = element < batch.macros["LENGTH"]
    return np.where(inside, z * values[np.where(inside, element, 0)], 0)


def twisted(batch, z, column):
    """Times the product of a root for each digit of the exponent."""
    if not batch.macros["TWIST"]:
        return z
    bits, power = batch.macros["TWIST"], np.arange(batch.macros["N"]) * column
    n = batch.roots.n
    for digit in range(batch.macros["DIGITS"]):
        z = z * np.exp(-2j * np.pi * ((power % (1 << bits)) << digit * bits) / n)
        power >>= bits
    assert not power.any()
    return z


def finished(batch, z, column):
    z = z if batch.macros["TWIST_FIRST"] else twisted(batch, z, column)
    z = z * batch.scale
    z = z.conj() if batch.flags & INVERSE_OUT else z
    return z.conj() if batch.flags & CONJUGATE_OUT else z


def stored(batch, z):
    """Yield (place, value, mask) of everything that store.cl writes."""
    macros, at = batch.macros, locate(batch, "DST")
    k, length = np.arange(macros["N"]), macros["LENGTH"]
    z = times_chirp(batch, turn(z), numbered(batch, at)) if macros["CHIRP_LAST"] else z
    if batch.target == "HERMITIAN" and macros["PACKED"]:
        numbers = np.arange(length + 1)
        places = at.place[:, :1] + numbers * batch.dst_axis[1]
        assert macros["OUTPUTS"] == numbers.size
        yield places, finished(batch, separated(batch, z), at.column), np.ones(places.shape, bool)
        return
    if batch.target == "HERMITIAN" and macros["PAIR"]:
        wanted = np.broadcast_to(k < macros["OUTPUTS"], z.shape)
        mirrored = z[:, np.where(k, length - k, 0) % macros["N"]].conj()
        second = at.column + partner_columns(macros)
        yield at.place, finished(batch, z + mirrored, at.column), wanted
        difference = finished(batch, (z - mirrored) / 1j, second)
        yield at.place + at.partner, difference, wanted & (at.partner != 0)
        return
    z = finished(batch, z, at.column)
    if batch.target == "REAL":
        yield at.place, z.real, at.valid
        if macros["DST_TOGETHER"]:
            check_together(at, batch.dst_axis, True)
        if macros["PAIR"] or macros["PACKED"]:
            there = bool(macros["PACKED"]) | (at.partner != 0)
            yield at.place + distance(batch, at, "DST"), z.imag, at.valid & there
    elif batch.target == "HERMITIAN":
        first = 2 * at.element <= length
        yield at.place, z, first
        fold = at.column % macros["FOLD"]
        back = at.place + (length - 2 * at.element) * batch.dst_axis[1]
        yield back, z.conj(), ~first & (fold != 0) & (2 * fold != macros["FOLD"])
    else:
        yield at.place, z, at.valid


def with_real_stage(batch, source):
    """(place, value) of everything that rows with a stage of real numbers write."""
    macros, radix = batch.macros, batch.macros["REAL_RADIX"]
    n, kept, to_real = macros["LENGTH"], radix // 2 + 1, batch.target == "REAL"
    assert (macros["N"], n % 2) == (n // radix * kept, 1)
    assert (batch.twiddles.real_radix, batch.twiddles.real_last) == (radix, to_real)
    assert batch.twiddles.radices[-1 if to_real else 0] == kept
    assert {macros["SRC_COLUMNS"], macros["DST_COLUMNS"], batch.lone} == {1, 2**32 - 1}
    read, written = (n // 2 + 1, n) if to_real else (n, n // 2 + 1)
    begin, end = (locate(batch, side).place[:, :1] for side in ("SRC", "DST"))
    i = np.arange(read)
    places = begin + i * batch.src_axis[1]
    x = values_at(source, places, np.broadcast_to(i < macros["FILLED"], places.shape))
    if to_real:
        assert not batch.flags & ~CONJUGATE_IN & ~16
        z = np.fft.irfft(x if batch.flags & CONJUGATE_IN else x.conj(), n, norm="forward")
        z = z * batch.scale
    else:
        assert not batch.flags & ~CONJUGATE_OUT & ~16
        z = finished(batch, 2 * np.fft.rfft(x), 0)
    return end + np.arange(written) * batch.dst_axis[1], z


def simulate_stockham(each, source, target):
    batch = stockham_of(each)
    assert source is not target or each.aliases
    if each.aliases:  # then a transform overwrites only what it alone has read
        read, written = locate(batch, "SRC"), locate(batch, "DST")
        np.testing.assert_array_equal(read.place, written.place)
        assert not np.any(written.valid & ~read.valid)
    numbers_in = elements(each, source, batch.source == "REAL")
    numbers_out = elements(each, target, batch.target == "REAL")
    if batch.macros["REAL_RADIX"]:
        places, values = with_real_stage(batch, numbers_in)
        assert np.unique(places).size == places.size, "written twice"
        assert np.all((places >= 0) & (places < numbers_out.size))
        numbers_out[places] = values
        return
    z = np.fft.fft(loaded(batch, numbers_in))
    if batch.spectrum is not None:
        spectrum = replace(batch.spectrum, precision="double").values()
        column = locate(batch, "SRC").column
        index = column * batch.macros["N"] + np.arange(batch.macros["N"])
        assert index.max() < spectrum.size
        z = np.fft.fft(turn(z * spectrum[index]))
    everywhere = []
    for places, values, mask in list(stored(batch, z)):
        everywhere.append(places[mask])
        assert np.all((places[mask] >= 0) & (places[mask] < numbers_out.size))
        numbers_out[places[mask]] = values[mask]
    everywhere = np.concatenate(everywhere)
    assert np.unique(everywhere).size == everywhere.size, "written twice"


# --- lanes ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LaneEnds:
    """What row.cl or cols.cl is to do beside transforming, by its macros."""

    macros: dict

    @classmethod
    def of(cls, each):
        return cls(dict(each.defines))

    @property
    def source(self):
        return self.macros.get("SOURCE", "COMPLEX")

    @property
    def target(self):
        return self.macros.get("TARGET", "COMPLEX")

    @property
    def is_row(self):
        return "ROWS" in self.macros

    @property
    def points(self):
        """Of the passes."""
        if self.is_row:
            return int(self.macros["ROWS"]) * int(self.macros["M"])
        return int(self.macros["N"])

    @property
    def packed(self):
        if self.is_row:
            return "COMPLEX" not in (self.source, self.target)
        return self.macros.get("PACKED") == "1"

    @property
    def paired(self):
        return self.macros.get("PAIR") == "1"

    @property
    def doubles(self):
        """Whether half spectra are sums of two."""
        return self.target == "HERMITIAN" and (
            self.packed or self.paired or self.number("REAL_RADIX") > 0
        )

    @property
    def chirp(self):
        """The part of the launch in Bluestein's algorithm."""
        parts = [self.number(name) for name in ("CHIRP_FIRST", "SPECTRUM", "CHIRP_LAST")]
        return {1: "BEFORE", 2: "WITHIN", 4: "AFTER", 7: "ALONE", 0: ""}[
            parts[0] + 2 * parts[1] + 4 * parts[2]
        ]

    @property
    def length(self):
        """Of the axis."""
        return int(self.macros.get("LENGTH", self.points)) * (1 + self.packed)

    @property
    def given(self):
        half = self.source == "HERMITIAN"
        return int(self.macros.get("FILLED", self.length // 2 + 1 if half else self.length))

    @property
    def written(self):
        return self.length // 2 + 1 if self.target == "HERMITIAN" else self.length

    def number(self, name):
        return int(self.macros.get(name, "0"))

    @property
    def tables(self):
        """Types of the tables behind the twiddles of passes."""
        cosine = self.number("COSINE")
        types = [LaneTwiddles] * self.is_row + [Roots] * (self.packed and cosine != 4)
        types += [Roots] * (self.number("REAL_RADIX") > 0)
        types += [RootSeries] * (cosine > 0)
        if self.number("TWIST"):
            types += [LaneRoots, BlockRoots]
        return (
            types
            + {
                "": [],
                "ALONE": [Chirp, ChirpSpectrum],
                "BEFORE": [LaneChirp],
                "WITHIN": [LaneSpectrum],
                "AFTER": [LaneChirp],
            }[self.chirp]
        )


def simulate_lanes(each, source, target, *others):
    """What row.cl and cols.cl do, transform by transform; each work-item does all of some."""
    assert source is not target or each.aliases
    assert all(scratch is not source and scratch is not target for scratch in others)
    ends, double = LaneEnds.of(each), numbers(each)["DOUBLE"]
    tables = [argument for argument in each.arguments.values() if isinstance(argument, Table)]
    assert [type(table) for table in tables] == [LaneStageTwiddles, *ends.tables]
    if ends.is_row:
        side = ends.number("LANES") // int(ends.macros.get("TOGETHER", 1))
        assert (tables[1].lanes, tables[1].together) == (side, ends.number("LANES") // side)
    points = ends.macros["M"] if ends.is_row else ends.points
    assert np.prod(tables[0].radices) == int(points)
    rest = [
        argument for argument in each.arguments.values() if isinstance(argument, Scalar | Vector)
    ]
    assert [(type(argument), argument.dtype) for argument in rest] == [
        (Scalar, "uint32"), (Vector, "uint32"), *[(Vector, "int64")] * 3,
        *([] if ends.is_row else [(Vector, "uint32"), (Vector, "int64")]),
        *[(kind, "float64" if double else "float32") for kind in (Vector, Scalar)],
    ]  # fmt: skip
    read, written, column, steps = places_of_lanes(ends, rest)
    limits = None if ends.is_row else rest[5].values[1:]
    read, valid, read_back = points_read(ends, read, column, steps[0], limits)
    written, wanted, back = points_written(ends, written, column, steps[1], limits)
    if each.aliases:
        np.testing.assert_array_equal(read, written)
    inverse = rest[-1].value < 0
    x = values_at(elements(each, source, ends.source == "REAL"), read, valid)
    x = np.where(read_back, np.conj(x), x)
    if ends.number("FOLD_IN"):  # at 0 and in the middle they are real, whatever the source says
        element = np.arange(ends.given) * ends.number("ROW_COLUMNS") + column[:, None]
        x = np.where(2 * element % limits[2] == 0, x.real, x)
    if ends.number("COSINE"):
        z = cosines(x, ends, next(table for table in tables if isinstance(table, RootSeries)))
    elif ends.chirp in ("BEFORE", "WITHIN", "AFTER"):
        z = convolved(np.conj(x) if inverse else x, ends, tables, column)
        z = np.conj(z) if inverse else z
    else:
        z = twisted_lanes(transformed(x, ends, inverse), ends, tables, column, inverse)
    z = z * sum(rest[-2].values)
    store_once(elements(each, target, ends.target == "REAL"), written, wanted, back, z)


def cosines(x, ends, table):
    """A whole cosine or sine transform; the kernel's sums are of halves for type 4."""
    n, type = ends.length, ends.number("COSINE")
    assert (ends.source, ends.target, ends.given) == ("REAL", "REAL", n)
    steps = (16 * n, 1, 8, n // 2) if type == 4 else (4 * n, 0, 1, n // 2 + 1)
    assert (table.n, table.first, table.step, table.count) == steps
    function = scipy.fft.dst if ends.number("SINE") else scipy.fft.dct
    y = function(x.astype(np.longdouble), type, orthogonalize=bool(ends.number("ORTHO")))
    return y / 2 if type == 4 else y


def twisted_lanes(z, ends, tables, column, inverse=False):
    if not ends.number("TWIST"):
        return z
    n = next(table.n for table in tables if isinstance(table, LaneRoots))
    power = column[:, None] * np.arange(z.shape[1]) % n
    return z * np.exp((2j if inverse else -2j) * np.pi * power / n)


def convolved(x, ends, tables, column):
    """What each of Bluestein's three launches does, forward."""
    if ends.chirp == "WITHIN":
        (table,) = [each for each in tables if isinstance(each, LaneSpectrum)]
        rows = table.factors[0]
        assert rows % table.lanes == 0
        assert table.factors[1:] == tables[0].radices
        m = rows * ends.points
        spectrum = ChirpSpectrum(table.n, (m,), "double").values().reshape(ends.points, rows)
        return np.fft.fft(np.conj(np.fft.fft(x) * spectrum[:, column].T))
    (table,) = [each for each in tables if isinstance(each, LaneChirp)]
    element = np.arange(ends.points) * ends.number("ROW_COLUMNS") + column[:, None]
    factors = np.append(Chirp(table.n, "double").values(), 0)[np.minimum(element, table.n)]
    if ends.chirp == "BEFORE":
        return twisted_lanes(np.fft.fft(x * factors), ends, tables, column)
    return np.conj(np.fft.fft(twisted_lanes(x, ends, tables, column))) * factors


def places_of_lanes(ends, rest):
    """Where each transform begins in source and target, its column, and steps between points."""
    count, extents = rest[0].value, rest[1].values
    distances, begin = [a.values for a in rest[2:4]], rest[4].values
    units, block = places_of_units(
        ends.number("DIMENSIONS"), count, extents, distances, ends.number("INNER")
    )
    units = [first + at for first, at in zip(begin, units, strict=True)]
    if ends.is_row:
        return *units, np.zeros(count, int), ((1, 1), (1, 1))
    columns, strides = rest[5].values[0], rest[6].values
    inner = ends.number("INNER")
    transforms = ends.number("LANES") * (1 + ends.paired)
    column = (block * transforms)[:, None] + np.arange(transforms)
    inside = column < columns
    assert ends.number("RAGGED") or inside.all()
    column, lane = column[inside], np.nonzero(inside)[1]
    rows = ends.number("FROM_ROWS"), ends.number("TO_ROWS")
    spread = ends.number("SPREAD_IN"), ends.number("SPREAD_OUT")
    steps = [1 if row else stride for row, stride in zip(rows, strides, strict=True)]
    apart = [
        stride if row else each[inner] // transforms if far else 1
        for row, far, stride, each in zip(rows, spread, strides, distances, strict=True)
    ]
    units = [
        np.broadcast_to(at[:, None], inside.shape)[inside] + lane * each
        for at, each in zip(units, apart, strict=True)
    ]
    return *units, column, list(zip(steps, apart, strict=True))


def points_read(ends, begin, column, steps, limits):
    """Places of points, which exist, and which are conjugates of what is there."""
    (step, apart), k = steps, np.arange(ends.given)
    places = begin[:, None] + k * step
    everywhere = np.ones(places.shape, bool)
    if not ends.number("ROW_FILLED") and not ends.number("FOLD_IN"):
        return places, everywhere, ~everywhere
    given, _, n = limits
    element = k * ends.number("ROW_COLUMNS") + column[:, None]
    if not ends.number("FOLD_IN"):
        return places, element < given, ~everywhere
    back = 2 * element > n
    mirrored = (begin - 2 * column * apart)[:, None] + n * apart - k * step
    valid = (np.where(back, n - element, element) < given) & (element < n)
    return np.where(back, mirrored, places), valid, back


def points_written(ends, begin, column, steps, limits):
    """Places of results, which are wanted, and which leave their conjugates there."""
    (step, apart), k = steps, np.arange(ends.written)
    places = begin[:, None] + k * step
    everywhere = np.ones(places.shape, bool)
    if ends.number("ROW_OUTPUTS"):
        element = k * ends.number("ROW_COLUMNS") + column[:, None]
        return places, element < limits[1], ~everywhere
    if not ends.number("FOLD_OUT"):
        return places, everywhere, ~everywhere
    back = everywhere & (2 * k >= ends.written)
    mirrored = (begin - 2 * column * apart)[:, None] + limits[2] * apart - k * step
    return np.where(back, mirrored, places), everywhere, back


def transformed(x, ends, inverse):
    n = ends.length
    if ends.source == "HERMITIAN":
        padded = np.zeros((len(x), n // 2 + 1), complex)
        padded[:, : x.shape[1]] = x if inverse else x.conj()
        return np.fft.irfft(padded, n, norm="forward")
    padded = np.zeros((len(x), n), complex)
    padded[:, : x.shape[1]] = x
    z = transform(padded, inverse)
    if ends.target == "HERMITIAN":
        return z[:, : n // 2 + 1] * (1 + ends.doubles)
    return z


def store_once(numbers_out, written, wanted, back, values):
    """Twice only where a row of half a spectrum holds both a point and its conjugate."""
    values, written = np.where(back, values.conj(), values)[wanted], written[wanted]
    values = values if np.iscomplexobj(numbers_out) else values.real
    assert np.all((written >= 0) & (written < numbers_out.size))
    _, times = np.unique(written, return_counts=True)
    assert times.max() == 1 or (back.any() and times.max() == 2), "written twice"
    numbers_out[written] = values
    np.testing.assert_allclose(numbers_out[written], values, atol=1e-6 * abs(values).max())


def places_of_units(dimensions, count, extents, distances, inner):
    """What `place` of lanes.cl finds in source and target, and coordinates along one dimension."""
    rest, places, block = np.arange(count), [0, 0], None
    for d in range(dimensions):
        coordinate = rest if d + 1 == dimensions else rest % extents[d]
        rest = rest // extents[d]
        block = coordinate if d == inner else block
        places = [at + coordinate * each[d] for at, each in zip(places, distances, strict=True)]
    return places, block


# --- small transforms -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """The arguments of small.cl that all transforms of a launch share."""

    points: int
    length: int
    loaded: int
    finished: int
    joins: int
    finishes: int
    sums: int
    roots: np.ndarray
    places: np.ndarray
    weights: np.ndarray


def small_work(each):
    """Read a pass, and check that its tables are those that the kernel needs."""
    given = each.arguments
    points, stages, length, loaded, finished, area, _, _ = given["sizes"].values
    joins, finishes, convolves, sums = given["kinds"].values[:4]
    radices = tuple(given["radices"].value >> 4 * stage & 15 for stage in range(stages))
    assert given["radices"].value < 16**stages
    assert np.prod(radices, dtype=int) == points
    assert area >= max(points, loaded, finished)
    width, itemsize = numbers(each)["LANES"], 16 if numbers(each)["DOUBLE"] else 8
    ((_, nbytes),) = each.scratch
    assert nbytes == each.global_size[0] * 2 * area * width * itemsize
    assert points >= 2 * length - 1 if convolves else points == length
    parts, roots = given["table"].parts, np.exp(-1j * np.pi * np.arange(length + 1) / length)
    kinds = [LaneStageTwiddles] * (stages > 0) + [Roots] * (2 in (joins, finishes))
    kinds += [Chirp, ChirpSpectrum] * convolves + [SumWeights, SumPlaces] * sums
    assert [type(part) for part in parts] == kinds
    for part in parts:
        assert getattr(part, "radices", radices) == radices
        assert getattr(part, "factors", (points,)) == (points,)
        assert getattr(part, "n", length) == length * (1 + (type(part) is Roots))
    table, begins = given["table"].values().astype(float), given["tables"].values
    behind = {Roots: begins[0], Chirp: begins[1], SumWeights: begins[2], SumPlaces: begins[3]}
    at = 0
    for part in parts:
        assert behind.get(type(part), at) == at
        at += part.values().size * (1 + np.iscomplexobj(part.values()))
    assert at == len(table)
    weights, places = table[begins[2] : begins[3]], table[begins[3] :].astype(int)
    return Work(points, length, loaded, finished, joins, finishes, sums, roots, places, weights)


def simulate_small(each, source, target, _):
    """What small.cl does, transform by transform."""
    assert source is not target or each.aliases
    work, given = small_work(each), each.arguments
    *_, transforms, count = given["sizes"].values
    numbers_there = given["kinds"].values[4:]
    ends = [given[name].values for name in ("source", "target")]
    units, block = places_of_units(4, count, given["extents"].values, [e[:4] for e in ends], 0)
    lane = np.arange(numbers(each)["LANES"])
    inside = block[:, None] * len(lane) + lane < transforms
    read, written = (
        (at[:, None] + lane * apart + first)[inside][:, None]
        for at, (*_, first, _, _, apart) in zip(units, ends, strict=True)
    )
    signs, scale = given["signs"].values, sum(given["scale"].values)
    data = elements(each, source, real=True)
    x = small_points(data, read, ends[0][5:7], numbers_there[:2], signs[0], work)
    z = small_results(np.fft.fft(small_joined(x, work)), work) * scale
    z.imag *= signs[1]
    store_small(
        elements(each, target, real=True), written, ends[1][5:7], numbers_there[2:], z, work
    )


def small_points(data, first, step, count, sign, work):
    """The elements that are loaded."""
    if work.sums:
        pairs = work.places[: 2 * work.loaded].reshape(-1, 2)
        weights = work.weights[: 4 * work.loaded].view(complex).reshape(-1, 2)
        return (data[first[..., None] + pairs * step[0]] * weights).sum(-1)
    assert max(count) <= work.loaded
    x = np.zeros((len(first), work.loaded), complex)
    with_real, with_imaginary = (first + np.arange(each) * step[0] for each in count)
    x.real[:, : count[0]] = data[with_real]
    x.imag[:, : count[1]] = sign * data[with_imaginary + step[1]]
    return x


def small_joined(x, work):
    """The points, from half of a spectrum if that was loaded."""
    if not work.joins:
        return x
    n, k = work.length, np.arange(work.length // 2 + 1)
    points = np.empty((len(x), n + 1), complex)
    if work.joins == 1:
        ends = (k == 0) | (2 * k == n)
        half = np.where(ends, x[:, k].real, x[:, k])
        points[:, k], points[:, n - k] = half.conj(), half
    else:
        one, image = x[:, k], x[:, n - k].conj()
        one[:, 0], image[:, 0] = one[:, 0].real, image[:, 0].real
        odd = -1j * (one - image) * work.roots[k].conj()
        points[:, n - k], points[:, k] = one + image + odd, (one + image - odd).conj()
    return points[:, :n]


def small_results(z, work):
    """The elements that the launch leaves."""
    k = np.arange(work.finished)
    results = z[:, k % work.length]
    if work.finishes == 1:
        results[:, 0] = results[:, 0].real
    if work.finishes == 2:
        image = z[:, -k % work.length].conj()
        results = results + image - 1j * (results - image) * work.roots[k]
    return results


def store_small(numbers_out, first, step, count, z, work):
    with_real, with_imaginary = (first + np.arange(each) * step[0] for each in count)
    values = np.hstack((z.real[:, : count[0]], z.imag[:, : count[1]]))
    if work.sums:
        element = work.places[2 * work.loaded :]
        weights = work.weights[4 * work.loaded :].reshape(-1, 2)
        values = z.real[:, element] * weights[:, 0] + z.imag[:, element] * weights[:, 1]
    written, everywhere = np.hstack((with_real, with_imaginary + step[1])), np.ones(values.shape)
    store_once(numbers_out, written, everywhere > 0, everywhere < 0, values)


# --- a transform that passes say they compute -----------------------------------------------------


def simulate_computed(passes, used):
    """What one pass computes, or several together, from and to arrays that lie anywhere.

    What several passes leave in between is known to none of them but their kernels: it is poison.
    """
    problem = passes[0].computes
    expected = expected_of(problem, used[0][0].view(problem.source_dtype))
    for each, (source, target, *_) in zip(passes, used, strict=True):
        assert source is not target or each.aliases
        if each is not passes[-1]:
            target[: each.target_bytes] = POISON
    target = used[-1][1]
    target.view(problem.dtype)[places(problem.target)] = expected


# --- the others -----------------------------------------------------------------------------------


def transform(rows, inverse):
    return np.fft.ifft(rows, norm="forward") if inverse else np.fft.fft(rows)


def simulate_transpose(each, source, target):
    assert source is not target
    rows, columns = scalars(each)
    count = rows * columns * each.global_size[2]
    matrices = elements(each, source)[:count].reshape(-1, rows, columns)
    elements(each, target)[:count] = matrices.swapaxes(1, 2).ravel()


def simulate_bit_reverse(each, source, target):
    assert source is not target
    log2_n, rows = scalars(each)
    count = rows << log2_n
    elements(each, target)[:count] = elements(each, source)[:count]


def simulate_butterfly(each, data, table):
    log2_n, iteration, rows, flag = scalars(each)
    if iteration == log2_n:  # by now the rows are done
        data = elements(each, data)[: rows << log2_n]
        data[:] = transform(data.reshape(rows, -1), flag).ravel()


def simulate_stage(each, source, target):
    """Of ladder.cl: the rows are done by the last stage, and in order."""
    n, stage, rows, flag = scalars(each)
    last = 2 ** (stage + 1) == n
    assert each.aliases != (last and each.kernel in ("ladder1", "ladder2"))
    assert each.aliases or source is not target
    data = elements(each, source)[: rows * n].copy()
    data = transform(data.reshape(rows, n), flag).ravel() if last else data
    elements(each, target)[: rows * n] = data


def simulate_permutation(each, source, target):
    """Of ladder.cl: the rows stay as they are, since the last stage leaves them in order here."""
    assert source is not target
    n, rows = scalars(each)
    elements(each, target)[: rows * n] = elements(each, source)[: rows * n]


def simulate_compact(each, source, target):
    (flag,), n = scalars(each), numbers(each)["POINTS"]
    rows = each.global_size[0] // each.local_size[0]
    data = elements(each, source)[: rows * n].reshape(rows, n)
    elements(each, target)[: rows * n] = transform(data, flag).ravel()


def simulate_local_radix2(each, source, target):
    """Results, or the first of them, of rows that lie anywhere."""
    macros, real = numbers(each), dict(each.defines)["SOURCE"] == "REAL"
    n, count = macros["N"], each.global_size[0] // each.local_size[0]
    extent, flag = scalars(each)
    sources, targets, src_line, dst_line, scale = (
        argument.values for argument in each.arguments.values() if isinstance(argument, Vector)
    )
    q = np.arange(count)[:, None]

    def places(distances, line, points):
        first = line[0] + q % extent * distances[0] + q // extent * distances[1]
        return first + np.arange(points) * line[1]

    data = elements(each, source, real)[places(sources, src_line, n)]
    rows = transform(data + 0j, flag).reshape(count, n) * sum(scale)
    outputs = macros["OUTPUTS"]
    elements(each, target)[places(targets, dst_line, outputs)] = rows[:, :outputs]


def simulate_norm(each, data):
    count, scale = scalars(each)
    elements(each, data)[:count] *= scale


def simulate_copy(each, source, target):
    assert source is not target
    macros, kinds = numbers(each), dict(each.defines)
    (geometry,) = (a.integers for a in each.arguments.values() if isinstance(a, Constants))
    (count,) = scalars(each)
    source = elements(each, source, kinds["SOURCE"] == "REAL")
    target = elements(each, target, kinds["TARGET"] == "REAL")
    rest, (begin, end), rows = np.arange(count), geometry[:2], np.reshape(geometry[2:], (-1, 4))
    assert len(rows) == macros["DIMENSIONS"]
    begin, end = np.full(count, begin), np.full(count, end)
    inside, conjugated, own = np.ones(count, bool), np.zeros(count, bool), np.zeros(count, bool)
    for d in reversed(range(len(rows))):
        extent, given, near, far = map(int, rows[d])
        index, rest = rest % extent, rest // extent
        end += index * far
        if kinds["SOURCE"] == "HERMITIAN" and d == macros["MIRROR"]:
            own = (index == 0) | (2 * index == extent)
            conjugated = 2 * index > extent
            index = np.where(conjugated, extent - index, index)
        inside &= index < given
        begin += index * near
    assert not rest.any()
    z = values_at(source, begin, inside).astype(complex)
    z = np.where(own, z.real, np.where(conjugated, z.conj(), z))
    assert np.all((end >= 0) & (end < target.size))
    assert np.unique(end).size == count
    target[end] = z.real if kinds["TARGET"] == "REAL" else z


# --- cosine and sine transforms -------------------------------------------------------------------


@dataclass(frozen=True)
class Cosine:
    """Macros and arguments of dct.cl: `rows` of n numbers, `inner` apart, and of m points."""

    type: int
    sine: bool
    odd: bool
    ortho: bool
    roots: np.ndarray | None
    n: int
    m: int
    inner: int
    rows: int
    scale: float

    def of(self, buffer, length):
        """The first elements of a buffer, a row's along the last axis."""
        count = self.rows * length * self.inner
        return buffer[:count].reshape(self.rows, length, self.inner).swapaxes(1, 2)


def cosine_of(each):
    """Read a pass, and check that its arguments are those of the kernel and its items suffice."""
    macros = numbers(each)
    tables = [argument for argument in each.arguments.values() if isinstance(argument, RootSeries)]
    rest = list(each.arguments.values())[2 + len(tables) :]
    after = each.kernel == "dctAfter"
    exact = [(Vector, "float64" if macros["DOUBLE"] else "float32")] if after else []
    assert [(type(a), a.dtype) for a in rest] == [(Scalar, "uint32")] * 4 + exact
    n, m, inner, rows = scalars(each)
    roots = None
    if tables:
        (table,) = tables
        powers = table.first + table.step * np.arange(table.count)
        roots = np.exp(-2j * np.pi * powers / table.n)
    columns = (inner,) if macros["SIDE_BY_SIDE"] else ()
    assert columns or inner == 1
    wanted = (*columns, m, rows)
    assert all(size >= extent for size, extent in zip(each.global_size, wanted, strict=True))
    scale = sum(rest[4].values) if after else 1.0
    sine, odd, ortho = (bool(macros[f"DCT_{name}"]) for name in ("SINE", "ODD", "ORTHO"))
    return Cosine(macros["DCT_TYPE"], sine, odd, ortho, roots, n, m, inner, rows, scale)


def odd_places(n):
    """Where each number of a row of odd length stands in the Fourier transform."""
    j, h = np.arange(n), n // 2
    return np.where(j % 2, h - j, j + h + 1) % n


def simulate_dct_before(each, source, target):
    assert source is not target
    t = cosine_of(each)
    n, i, j = t.n, np.arange(t.n), np.arange(t.m)
    x = t.of(elements(each, source, real=True), n).astype(float)
    if t.sine and t.type > 2:
        x = x[..., ::-1]
    if t.ortho and t.type in (1, 3):
        x = x * np.where((i == 0) | ((t.type == 1) & (i == n - 1)), 2**0.5, 1)
    if t.sine and t.type == 2:
        x = x * (-1.0) ** i
    complex_points = t.type == 3 or (t.type == 4 and not t.odd)
    if t.type == 1 and t.sine:
        zero = np.zeros((*x.shape[:-1], 1))
        points = np.concatenate([zero, x, zero, -x[..., ::-1]], axis=-1)
    elif t.type == 1:
        points = np.concatenate([x, x[..., -2:0:-1]], axis=-1)
    elif t.type == 2 and t.odd:
        points = np.empty_like(x)
        points[..., odd_places(n)] = x
    elif t.type == 2:
        points = np.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], axis=-1)
    elif t.type == 3 and t.odd:
        behind = np.where(j > 0, x[..., (n - 2 * j) % n], 0)
        points = (x[..., 2 * j] - 1j * behind) * (-1.0) ** j
    elif t.type == 3:
        behind = np.where(j > 0, x[..., (n - j) % n], 0)
        points = (x[..., j] - 1j * behind) * t.roots.conj()
    elif t.odd:
        quarter, part = np.divmod(8 * i + 1, 2 * n)
        odd = np.where(quarter % 2, 2 * n - part, part)
        points = x[..., odd // 2] * np.where((quarter == 1) | (quarter == 2), -1, 1)
    else:
        points = (x[..., 2 * j] + 1j * x[..., n - 1 - 2 * j]) * t.roots
    t.of(elements(each, target, real=not complex_points), t.m)[...] = points


def simulate_dct_after(each, source, target):
    assert source is not target
    t = cosine_of(each)
    n, k = t.n, np.arange(t.n)
    points = t.of(elements(each, source, real=t.type == 3), t.m)
    if t.type == 1:
        y = -points[..., k + 1].imag if t.sine else points[..., k].real
    elif t.type == 3:
        y = points[..., odd_places(n) if t.odd else np.where(k % 2, n - 1 - k // 2, k // 2)]
    elif t.type == 2 and t.odd:
        signed = 2 * points * (-1.0) ** np.arange(t.m)
        y = np.full((*points.shape[:-1], n), np.nan)
        y[..., ::2] = signed.real
        y[..., n - 2 :: -2] = -signed.imag[..., 1:]
    elif t.type == 4 and t.odd:
        h = (2 * k + 1) % n
        z = np.where(2 * h < n, points[..., np.minimum(h, n - h)], 0)
        z = z + np.where(2 * h < n, 0, points[..., np.minimum(h, n - h)].conj())
        y = 2 * (z * t.roots).real
    else:
        z = points * t.roots
        y = np.full((*z.shape[:-1], n), np.nan)
        if t.type == 2:
            y[..., : t.m] = 2 * z.real
            y[..., t.m :] = -2 * z.imag[..., 1 : n - t.m + 1][..., ::-1]
        else:
            y[..., ::2] = 2 * z.real
            y[..., 1::2] = (-2 * z.imag)[..., ::-1]
    if t.ortho and t.type in (1, 2):
        y = y * np.where((k == 0) | ((t.type == 1) & (k == n - 1)), 0.5**0.5, 1)
    if t.sine and t.type > 2:
        y = y * (-1.0) ** k
    if t.sine and t.type == 2:
        y = y[..., ::-1]
    t.of(elements(each, target, real=True), n)[...] = y * t.scale


SIMULATED = {
    "stockham": simulate_stockham,
    "row": simulate_lanes,
    "cols": simulate_lanes,
    "small": simulate_small,
    "transpose": simulate_transpose,
    "transposeBlocked": simulate_transpose,
    "bitReverse": simulate_bit_reverse,
    "butterfly": simulate_butterfly,
    "ladder1": simulate_stage,
    "ladder2": simulate_stage,
    "ladder3": simulate_stage,
    "ladder4": simulate_stage,
    "permuteArray": simulate_permutation,
    "compact": simulate_compact,
    "localRadix2": simulate_local_radix2,
    "norm": simulate_norm,
    "spinFact": lambda each, table: None,
    "copy": simulate_copy,
    "dctBefore": simulate_dct_before,
    "dctAfter": simulate_dct_after,
}
