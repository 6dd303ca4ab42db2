"""The look-up of parameters: names, values, and which measured ones a problem gets."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf, nan

import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.lookup import Entry, Identity, Workclass, look_up
from pyclfft.planning.parameters import (
    DEFAULTS,
    PARAMETERS,
    checked,
    factors_of,
    parameters_for,
    shown,
)
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]
HERE = Identity("NVIDIA CUDA", "NVIDIA H200", "580.1", "sm_90", "NVIDIA Corporation", "gpu")
H100 = replace(HERE, name="NVIDIA H100")
V100 = replace(HERE, name="Tesla V100", architecture="sm_70")
RADEON = Identity("AMD", "gfx90a", "3.0", "gfx90a", "AMD", "gpu")
ROWS = Workclass("c2c", "single", (1024,), "rows", 12)


def entry(identity=HERE, workclass=ROWS, sources="now", **values):
    return Entry(identity, workclass, values, sources)


def found(workclass=ROWS, shipped=(), user=()):
    return look_up((workclass,) if workclass else (), HERE, H200, shipped, user, "now")


# --- names and values -----------------------------------------------------------------------------


def test_every_parameter_has_a_default_of_its_kind_and_a_meaning():
    for name, each in PARAMETERS.items():
        assert type(each.gpu) is type(each.cpu)
        assert checked({name: each.gpu}) == {name: each.gpu}
        assert checked({name: each.cpu}) == {name: each.cpu}
        assert str(each.allowed)
        assert re.fullmatch(r"[A-Z][^\n]*\.", each.meaning), name  # whole sentences
    for kind in ("gpu", "cpu"):
        assert DEFAULTS[kind].keys() == PARAMETERS.keys()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"no_such": 1}, "unknown parameter 'no_such': choose from algorithm, group,"),
        ([("group", 3)], "parameters are a mapping of names to values, not .*'group', 3"),
        ({"group": "many"}, "group must be a whole number from 1 to 8192, not 'many'"),
        ({"group": "64"}, "group must be a whole number from 1 to 8192, not '64'"),
        ({"group": 1.5}, "group must be a whole number from 1 to 8192, not 1.5"),
        ({"group": None}, "group must be a whole number from 1 to 8192, not None"),
        ({"group": [64]}, "group must be a whole number from 1 to 8192"),
        ({"group": 0}, "group must be a whole number from 1 to 8192, not 0"),
        ({"group": -1}, "group must be a whole number from 1 to 8192, not -1"),
        ({"group": inf}, "group must be a whole number from 1 to 8192, not inf"),
        ({"group": nan}, "group must be a whole number from 1 to 8192, not nan"),
        ({"group": 10**400}, r"group must be a whole number from 1 to 8192, not 10+\.\.\.0+$"),
        ({"group": 10**5000}, "group must be a whole number from 1 to 8192, not "),
        ({"direct_tile": 0}, "direct_tile must be a whole number from 1 to"),
        ({"local_items": 0}, "local_items must be a whole number from 1 to"),
        ({"lanes_groups": 0}, "lanes_groups must be a whole number from 1 to"),
        ({"fused_chunks": 0}, "fused_chunks must be a whole number from 1 to"),
        ({"stockham_points": 0}, "stockham_points must be -1 or a whole number from 1 to 32,"),
        ({"fused": -2}, "fused must be one of -1, 0, 1, not -2"),
        ({"lanes_width": 3}, "lanes_width must be one of -1, 1, 2, 4, 8, 16, not 3"),
        ({"stft_columns": 3}, "stft_columns must be one of -1, 0, 4, 8, 16, 32, not 3"),
        ({"convolve_method": "quick"}, 'convolve_method must be "" or one of direct, fft, part'),
        ({"convolve_method": ["fft"]}, 'convolve_method must be "" or one of direct, fft, part'),
        ({"cost_direct": -1}, "cost_direct must be a number from 0 to 1e\\+12, not -1"),
        ({"cost_direct": nan}, "cost_direct must be a number from 0 to 1e\\+12, not nan"),
        ({"cost_direct": "1"}, "cost_direct must be a number from 0 to 1e\\+12, not '1'"),
        ({"algorithm": 3}, "algorithm must be one of several_axes, equal_axes, small, .*, not 3"),
        (
            {"algorithm": "stokham"},
            "algorithm must be one of several_axes, equal_axes, small, row, .*, not 'stokham'",
        ),
        ({"algorithm": ["row"]}, "algorithm must be one of several_axes, equal_axes, small, row, "),
        ({"factors": 16}, "factors must be lists of 2 to 4 factors above 1, such as .*, not 16"),
        ({"factors": [16, 16]}, "factors must be lists"),
        ({"factors": [[]]}, "factors must be lists"),
        ({"factors": [[12]]}, r"factors must be lists of 2 to 4 .*, not \[\[12\]\]"),
        ({"factors": [[2] * 5]}, "factors must be lists of 2 to 4"),
        ({"factors": [[1, 16]]}, "factors must be lists"),
        ({"factors": [["4", "16"]]}, "factors must be lists"),
        ({"factors": [[inf, 16]]}, "factors must be lists"),
        ({"stockham_radices": [[17, 2]]}, "stockham_radices must be lists of 1 to 6 factors of 2,"),
        (
            {"lanes_radices": [[32, 2]]},
            "lanes_radices must be lists of 1 to 8 factors of 2, .* 16,",
        ),
    ],
)
def test_what_is_no_value_is_refused(values, message):
    with pytest.raises(PlanError, match=message):
        checked(values)


def test_lists_become_tuples():
    assert checked({"lanes_radices": [[4, 16], [8]]}) == {"lanes_radices": ((4, 16), (8,))}
    assert checked({"stockham_points": -1, "group": 64.0}) == {"stockham_points": -1, "group": 64}


def test_the_first_factors_of_a_length_count():
    known = {"factors": ((4, 16), (8, 8), (3, 5))}
    assert factors_of(known, "factors", 64) == (4, 16)
    assert factors_of(known, "factors", 15) == (3, 5)
    assert factors_of(known, "factors", 16) is None


def test_origins():
    default = parameters_for(H200)
    assert str(default) == "default"
    assert dict(default) == dict(DEFAULTS["gpu"])
    tuned = default.over({"group": 64, "fused_lag": default["fused_lag"]}, "device")
    assert tuned.origins == {"group": "device"}  # the other is the default
    both = tuned.over({"stockham_radices": ((4, 16),)}, "user")
    assert str(both) == "group 64 (device); stockham_radices 4x16 (user)"
    back = both.over({"group": default["group"]}, "given")
    assert back["group"] == default["group"]
    assert default["group"] == 128  # which nothing has changed


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), ("row", "row"), (((4, 16), (2,)), "4x16 2"), ((), "-")],
)
def test_values_for_people(value, text):
    assert shown(value) == text


# --- what is built on transforms ------------------------------------------------------------------

PRODUCTS = {
    "stft single 2048x512 columns 2^12": {
        "stft single 2048x512 columns 2^10": 2,
        "stft single 2048x1024 columns 2^12": 1,
        "stft single 1024x512 columns 2^12": None,
        "stft single 2048x512 rows 2^12": None,
        "istft single 2048x512 columns 2^12": None,
        "stft double 2048x512 columns 2^12": None,
        "stft single 2048 columns 2^12": None,
    },
    "filter-max single 480x640 rows 2^0": {
        "filter-max single 480x640 rows 2^1": 1,
        "filter-max single 512x640 rows 2^0": None,
        "filter-clip single 480x640 rows 2^0": None,
    },
    "convolve-full single 1048576x1000 rows 2^0": {
        "convolve-full single 1000000x1024 rows 2^0": 0,
        "convolve-full single 4194304x1000 rows 2^0": 2,
        "convolve-full single 1048576x4000 rows 2^3": 5,
        "convolve-same single 1048576x1000 rows 2^0": None,
        "convolve-full single 1024x1024x31x31 rows 2^0": None,
    },
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_distances_of_what_is_built_on_transforms(text):
    workclass = Workclass.parse(text)
    assert str(workclass) == text
    for other, distance in PRODUCTS[text].items():
        assert workclass.distance(Workclass.parse(other)) == distance
        assert Workclass.parse(other).distance(workclass) == distance


def test_the_first_class_with_an_entry_counts():
    frames = Workclass.parse("stft single 1024x256 columns 2^12")
    of_transform, of_frames = entry(group=64, fused_lag=8), entry(workclass=frames, group=32)

    def of_both(*shipped):
        return look_up((frames, ROWS), HERE, H200, shipped)

    assert of_both(of_transform)["group"] == 64
    assert of_both(of_transform, of_frames)["group"] == 32
    assert of_both(of_transform, of_frames)["fused_lag"] == DEFAULTS["gpu"]["fused_lag"]


# --- classes of problems --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (make_problem((4096, 1024), "c8", 1), "c2c single 1024 rows 2^12"),
        (make_problem((1024, 100), "c16", 0), "c2c double 1024 columns 2^6"),
        (make_problem((512, 256), "f4", kind="r2c"), "r2c single 512x256 rows 2^0"),
        (make_problem((3, 64, 32), "c8", (1, 2), kind="c2r"), "c2r single 64x32 rows 2^1"),
        (make_problem((7, 30), "f8", 1, kind="dct2"), "dct2 double 30 rows 2^2"),
        (make_problem((8, 16, 3), "c8", (0, 1)), "c2c single 8x16 columns 2^1"),
        (make_problem((0, 16), "c8", 1), "c2c single 16 rows 2^0"),
    ],
)
def test_classes_of_problems(problem, text):
    workclass = Workclass.of(problem)
    assert str(workclass) == text
    assert Workclass.parse(text) == workclass
    by_name = Workclass.of(problem, "radix2")
    assert str(by_name) == f"{text} by radix2"
    assert Workclass.parse(str(by_name)) == by_name
    assert by_name.distance(workclass) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c2c single 16 rows",
        "c2c single 16 rows 3",
        "c2c single 1y6 rows 2^3",
        "c2c single 16 rows 2^3 with radix2",
        "c2c single 16 rows 2^-3",
        "c2c single 16 rows 2^03",
        "c2c single 0 rows 2^3",
        "c2c single 1_6 rows 2^3",
        "c2c single  16 rows 2^3",
        "c3c single 16 rows 2^3",
        "c2c triple 16 rows 2^3",
        "c2c single 16 diagonals 2^3",
        "c2c single 16 rows 2^3 by \x1b[2J",
    ],
)
def test_what_is_no_class(text):
    with pytest.raises(ValueError):
        Workclass.parse(text)


def test_direction_and_scale_make_no_difference():
    forward = make_problem((4, 16), "c8", 1)
    inverse = make_problem((4, 16), "c8", 1, direction="inverse", norm="ortho")
    assert Workclass.of(forward) == Workclass.of(inverse)


def test_distance():
    assert ROWS.distance(ROWS) == 0
    assert ROWS.distance(replace(ROWS, batch=9)) == 3
    others = {"kind": "r2c", "precision": "double", "lengths": (512,), "layout": "columns"}
    for name, value in others.items():
        assert ROWS.distance(replace(ROWS, **{name: value})) is None


# --- what a problem gets --------------------------------------------------------------------------


def test_without_entries_everything_is_the_default():
    assert found() == parameters_for(H200)
    assert str(found(None)) == "default"


@pytest.mark.parametrize(
    ("identity", "origin"),
    [(HERE, "device"), (H100, "architecture"), (V100, "vendor"), (RADEON, "")],
)
def test_what_other_devices_say(identity, origin):
    assert HERE.origin(identity) == origin
    of_all = found(shipped=[entry(identity, None, group=64)])
    assert of_all.origins == ({"group": origin} if origin else {})
    # A single problem of a device that only has the same vendor says nothing.
    of_one = found(shipped=[entry(identity, group=64)])
    assert of_one.origins == ({"group": origin} if origin in ("device", "architecture") else {})


def test_the_more_specific_wins_whatever_the_order():
    entries = [entry(HERE, None, group=1), entry(V100, None, group=3), entry(H100, None, group=2)]
    for shipped in (entries, entries[::-1]):
        assert found(shipped=shipped)["group"] == 1
    assert found(shipped=entries, user=[entry(HERE, None, group=16)])["group"] == 16
    mixed = found(shipped=[entry(V100, None, group=3, fused_lag=8), entry(HERE, None, group=1)])
    assert mixed.origins == {"group": "device", "fused_lag": "vendor"}


def test_a_problem_before_all_problems():
    entries = [entry(HERE, ROWS, group=1), entry(HERE, None, group=2, fused_lag=9)]
    assert found(shipped=entries)["group"] == 1
    assert found(shipped=entries)["fused_lag"] == 9
    assert found(None, shipped=entries)["group"] == 2
    assert found(replace(ROWS, lengths=(2048,)), shipped=entries)["group"] == 2


def test_a_users_default_replaces_what_we_have_found():
    """Where it was measured here that nothing is better than the defaults."""
    assert found(shipped=[entry(group=64)], user=[entry()]) == parameters_for(H200)


def test_the_closest_batch_counts():
    def at(batch):
        return replace(ROWS, batch=batch)

    entries = [entry(workclass=at(12), group=12), entry(workclass=at(5), group=5)]
    wanted = {12: 12, 13: 12, 14: 12, 15: 128, 9: 128, 7: 5, 3: 5, 2: 128}
    assert {n: found(at(n), shipped=entries)["group"] for n in wanted} == wanted
    # The same batch by us before another one by the user.
    user = [entry(workclass=at(13), group=13)]
    assert found(at(12), shipped=entries, user=user)["group"] == 12
    assert found(at(13), shipped=entries, user=user)["group"] == 13
    assert found(at(15), shipped=entries, user=user)["group"] == 13


@pytest.mark.parametrize(
    "stale", [{"sources": "before"}, {"identity": replace(HERE, driver="579")}]
)
def test_what_the_user_measured_with_other_kernels_or_drivers_is_left_out(stale):
    assert found(user=[replace(entry(group=64), **stale)]) == parameters_for(H200)
    assert found(user=[entry(group=64)])["group"] == 64


# --- what solvers make of them --------------------------------------------------------------------


def kernels(name, shape, axes, **values):
    traits = RECORDED[name]
    parameters = parameters_for(traits).over(checked(values), "given")
    return plan_passes(make_problem(shape, "c8", axes), traits, parameters=parameters)


@pytest.mark.parametrize(
    ("name", "shape", "axes", "values", "step"),
    [
        ("h200", (64, 1024), 1, {"stockham_radices": [[4, 16, 16]]}, "64 x 1024 = 4x16x16"),
        ("h200", (64, 1024), 1, {"stockham_radices": [[4, 16]]}, "64 x 1024 = 16x16x4"),  # of 64
        ("intel-cpu", (64, 1024), 1, {"lanes_radices": [[4, 4, 4]]}, "64 x 1024 = 16x4x4x4"),
        ("intel-cpu", (64, 1024), 1, {"lanes_width": 8}, "64 x 1024 = 8x4x4x8"),
        ("intel-cpu", (64, 1024), 1, {"algorithm": "cols"}, "64 x 1024 = 4x4x8x8"),
        ("intel-cpu", (64, 1024), 1, {"algorithm": "chirp", "lanes_radices": [[3, 7]]}, None),
    ],
)
def test_solvers_take_what_they_can(name, shape, axes, values, step):
    each, *_ = kernels(name, shape, axes, **values)
    assert step is None or each.step == step


def test_steps_of_long_transforms():
    steps = [each.step for each in kernels("h200", (8, 2**18), 1, factors=[[256, 1024]])]
    assert [step.split(" = ")[0].split(" x ")[1] for step in steps] == ["256", "1024"]
    steps = [each.step for each in kernels("intel-cpu", (1, 2**18), 1, factors=[[1024, 256]])]
    assert [step.split(" = ")[0].split(" x ")[1] for step in steps] == ["1024", "256"]
    # Of two that do not fit a work-group nothing comes.
    plain = kernels("h200", (8, 2**18), 1)
    assert kernels("h200", (8, 2**18), 1, factors=[[2, 2**17]]) == plain


def test_points_columns_and_gaps():
    def macros(**values):
        return dict(kernels("h200", (4096, 64), 0, **values)[0].defines)

    shipped = dict(kernels("h200", (512, 64), 0)[0].defines)
    four = dict(kernels("h200", (512, 64), 0, stockham_columns=4)[0].defines)
    assert (shipped["TRANSFORMS"], four["TRANSFORMS"]) == ("16", "4")
    eight = dict(kernels("h200", (64, 512), 1, stockham_points=8)[0].defines)
    assert eight["ELEMENTS"] == "8"
    none = dict(kernels("h200", (64, 512), 1, stockham_banks=1)[0].defines)
    assert none["BANKS"] == "1"
    assert int(none["ROOM"]) == 512


# --- work-groups of single kernels ----------------------------------------------------------------


@pytest.mark.parametrize("size", ["", "1", "64", "16x16", "1024x1"])
def test_sizes_of_groups(size):
    assert checked({"group_butterfly": size}) == {"group_butterfly": size}


@pytest.mark.parametrize(
    "size", ["0", "16x", "x16", "16x0", "4x4x4", "-1", "a", "64 ", 64, [16, 16], None]
)
def test_what_is_no_size_of_groups(size):
    with pytest.raises(
        PlanError, match=r'group_norm must be the size of a work-group, such as "64"'
    ):
        checked({"group_norm": size})


def test_factors_of_another_device_of_the_architecture_do_not_count():
    """They depend on the speed of the memory. Other parameters of such a device do count."""
    near = entry(H100, replace(ROWS, batch=ROWS.batch + 1), stockham_points=4)
    split = entry(H100, factors=((32, 32),))
    assert found(shipped=(split, near)).origins == {"stockham_points": "architecture"}
    assert found(shipped=(split,)).origins == {}
    assert found(shipped=(replace(split, identity=HERE),)).origins == {"factors": "device"}
