"""``pyclfft tune``: what it prints, what it keeps, and what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict, replace

import pytest

from pyclfft import info
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Workclass
from pyclfft.planning.parameters import PARAMETERS
from pyclfft.runtime import describe, wisdom
from pyclfft.tuning import asked, command, measure, tuner
from tests.conftest import place_of


@pytest.fixture(autouse=True)
def own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCLFFT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(tuner, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(wisdom, "shipped_entries", lambda identity: ())
    wisdom.forget_entries()
    for name in ("SAMPLE_S", "WARM_S", "EVENTS_S"):
        monkeypatch.setattr(measure, name, 1e-5)
    yield tmp_path / "tuning.json"
    wisdom.forget_entries()


def run(capsys, *arguments, status=0):
    assert command.main([str(each) for each in arguments]) == status
    return capsys.readouterr()


def test_tune_show_export_import_forget(device, capsys, own_database, tmp_path):
    here = ("--device", place_of(device))
    out = run(capsys, *here, "--n", "64,30", "--batch", 4, "--time-limit", 1).out
    assert out.startswith(describe.device_label(device))
    assert "c2c single 64 rows 2^2" in out
    assert f"kept in {own_database}" in out
    known = database.load(own_database)
    assert {str(each.workclass) for each in known} <= {f"c2c single {n} rows 2^2" for n in (64, 30)}
    assert known
    counted = f"{len(known)} {'entry' if len(known) == 1 else 'entries'}"
    shown = run(capsys, *here, "--show").out
    assert "c2c single 64 rows 2^2" in shown
    assert "user" in shown
    exported = tmp_path / "exported.json"
    assert f"written to {exported}" in run(capsys, "--export", exported).out
    assert database.load(exported) == known
    out = run(capsys, *here, "--forget").out
    assert f"{counted} deleted" in out
    assert database.load(own_database) == ()
    assert f"{counted} added" in run(capsys, "--import", exported).out
    assert database.load(own_database) == known


@pytest.mark.one_cpu
def test_kinds_shapes_and_databases(device, capsys, own_database, tmp_path):
    db = tmp_path / "other.json"
    options = ("--device", place_of(device), "--batch", 3, "--time-limit", 1, "--db", db)
    run(capsys, *options, "--shape", "8x6", "--kind", "r2c")
    run(capsys, *options, "--n", "2^5", "--columns", "--kind", "dct2")
    run(capsys, *options, "--n", "32", "--algorithm", "radix2", "--effort", "exhaustive")
    assert {str(each.workclass) for each in database.load(db)} == {
        "r2c single 8x6 rows 2^1",
        "dct2 single 32 columns 2^1",
        "c2c single 32 rows 2^1 by radix2",
    }
    assert not own_database.exists()


@pytest.mark.one_cpu
def test_what_is_built_on_transforms(device, capsys, own_database):
    """An entry for each kind, within a tiny budget."""
    options = ("--device", place_of(device), "--time-limit", 0.5)
    wanted = {
        "stft single 64x16 columns 2^3": ("--n", 64, "--batch", 8, "--columns"),
        "istft single 64x32 rows 2^3": ("--n", 64, "--hop", 32, "--batch", 8),
        "filter-max single 8x12 rows 2^0": ("--shape", "8x12"),
        "filter-clip single 16x12 rows 2^1": ("--shape", "16x12", "--batch", 2),
        "convolve-full single 400x20 rows 2^0": ("--n", 400, "--taps", 20),
        "convolve-same single 30x40x5x3 rows 2^0": ("--shape", "30x40", "--taps", "5x3"),
    }
    for problem, arguments in wanted.items():
        out = run(capsys, *options, "--kind", problem.split()[0], *arguments, "--verbose").out
        assert re.search(rf"^{re.escape(problem)} ", out, re.MULTILINE)
        assert re.search(r"^ +[\d.e-]+ ms +\d+ GB/s  default$", out, re.MULTILINE)
    assert {str(each.workclass) for each in database.load(own_database)} == wanted.keys()


def test_usual_cases_have_every_kind(device, capsys):
    out = run(capsys, "--device", place_of(device), "--effort", "estimate").out
    found = [line.split() for line in out.splitlines()[1:]]
    assert {each[0] for each in found} == set(asked.USUAL_KINDS)
    assert {each[3] for each in found if each[0] in ("stft", "istft")} == {"rows", "columns"}
    kind = ("--kind", "filter-none", "--effort", "estimate")
    out = run(capsys, "--device", place_of(device), *kind).out
    assert len(out.splitlines()) == 1 + len(asked.USUAL_IMAGES)
    out = run(capsys, "--device", place_of(device), "--effort", "estimate", "--n", 8).out
    assert [each.split()[0] for each in out.splitlines()[1:]] == ["c2c"]


def test_estimate_shows_what_plans_get(device, capsys, own_database):
    wanted = ("--device", place_of(device), "--n", 64, "--batch", 4, "--effort", "estimate")
    assert run(capsys, *wanted).out.splitlines()[1] == "c2c single 64 rows 2^2: default"
    workclass = Workclass.parse("c2c single 64 rows 2^2")
    entry = Entry(describe.identity(device), workclass, {"group": 32}, wisdom.sources_hash(), 1, 2)
    database.update(own_database, lambda known: [entry])
    wisdom.forget_entries()
    assert run(capsys, *wanted).out.splitlines()[1] == "c2c single 64 rows 2^2: group 32 (user)"


def test_entries_of_other_kernels_are_marked(device, capsys, own_database):
    workclass = Workclass.parse("c2c single 64 rows 2^2")
    entry = Entry(describe.identity(device), workclass, {"group": 32}, "others", 1.0, 2.0)
    database.update(own_database, lambda known: [entry])
    wisdom.forget_entries()
    out = run(capsys, "--device", place_of(device), "--show").out
    assert "user*" in out
    assert "measured with other kernels than today's" in out


def test_nothing_known(device, capsys):
    out = run(capsys, "--device", place_of(device), "--show").out
    assert "nothing is tuned" in out


def test_what_cannot_be_tuned_does_not_stop_the_others(device, capsys, own_database):
    options = ("--device", place_of(device), "--batch", 2, "--time-limit", 20)
    out = run(capsys, *options, "--n", "60,64", "--algorithm", "radix2", status=1).out
    assert "c2c single 60 rows 2^1 by radix2: algorithm 'radix2' takes" in out
    (entry,) = database.load(own_database)
    assert str(entry.workclass) == "c2c single 64 rows 2^1 by radix2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--n", "abc"), "--n abc: 'abc' is not a positive whole number"),
        (("--n", "3x4"), "--n 3x4: take --shape for 2 extents"),
        (("--shape", "64"), "--shape 64: take --n for 1 extents"),
        (("--n", "0"), "--n 0: '0' is not a positive whole number"),
        (("--batch", "0"), "argument --batch: '0' is not a positive whole number"),
        (("--kind", "fft"), "argument --kind: invalid choice: 'fft'"),
        (("--n", "64", "--hop", "4"), "--hop needs a --kind: stft or istft"),
        (("--n", "64", "--taps", "4"), "--taps needs a --kind: convolve-full or"),
        (("--kind", "stft", "--shape", "64x4"), "--kind stft needs --n"),
        (("--kind", "filter-max", "--n", "64"), "--kind filter-max needs --shape"),
        (
            ("--kind", "convolve-full", "--n", "64"),
            "needs the extents of the kernel, too: add --taps",
        ),
        (("--kind", "convolve-full", "--n", "64", "--taps", "65"), "a kernel is not longer than"),
        (("--kind", "convolve-full", "--n", "64", "--taps", "3x3"), "a kernel is not longer than"),
        (("--show", "--forget"), "not allowed with argument"),
        (("--export", "/dev/null/file"), "/dev/null: File exists"),
        (("--import", "/no/such/file"), "/no/such/file: No such file or directory"),
        (("--device", "no such"), "no such"),
    ],
)
def test_bad_arguments_are_one_line(capsys, own_database, arguments, message):
    own_database.write_text('{"schema": 1, "devices": []}')
    script = [sys.executable, "-m", "pyclfft", "tune", *arguments]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("columns", [80, 100])
def test_help_explains_every_parameter(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit):
        command.main(["--help"])
    text = capsys.readouterr().out.partition("The results go")[2]  # argparse breaks no long list
    assert max(map(len, text.splitlines())) <= columns
    words = " ".join(text.split())
    for name, each in PARAMETERS.items():
        allowed = "the name of an algorithm" if name == "algorithm" else each.allowed
        assert f" {name} {each.meaning} Value: {allowed}. " in f"{words} "


def test_meanings_are_sentences():
    for each in PARAMETERS.values():
        assert re.match(r"[A-Z].*\.$", each.meaning), each.meaning


def test_exporting_a_damaged_database(capsys, own_database):
    own_database.write_text("{")
    assert command.main(["--export", str(own_database) + "2"]) == 2
    assert "is no tuning database" in capsys.readouterr().err
    assert json.dumps(own_database.read_text()) == '"{"'


HOSTILE = {
    "null": '{"schema": 1, "devices": [{"device": %s, "entries": null}]}',
    "5": '{"schema": 1, "devices": [{"device": %s, "entries": 5}]}',
    "Infinity": '{"schema": Infinity, "devices": []}',
    "nested": "[" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_files_that_are_no_database(device, capsys, own_database, text):
    """As the user's they count as empty; what is asked for by name is refused in one line."""
    given = own_database.with_name("given.json")
    for path in (own_database, given):
        path.write_text(text.replace("%s", json.dumps(asdict(describe.identity(device)))))
    here = ("--device", place_of(device))
    assert "nothing is tuned" in run(capsys, *here, "--show").out
    assert info.main([]) == 0
    assert "Runtimes and devices" in capsys.readouterr().out
    error = run(capsys, "--import", given, status=2).err
    assert f"error: {given} is no tuning database" in error
    run(capsys, *here, "--n", 64, "--batch", 4, "--time-limit", 0.1)
    assert len(database.load(own_database)) == 1
    assert own_database.with_name("tuning.json.damaged").exists()


def test_entries_out_of_range_are_not_imported(device, capsys, own_database, caplog):
    good = Entry(
        describe.identity(device), Workclass.parse("c2c single 64 rows 2^2"), {"group": 32}
    )
    bad = replace(good, workclass=None, values={"group": 0})
    given = own_database.with_name("given.json")
    given.write_text(database.text_of([bad, good]))
    assert run(capsys, "--import", given).out == f"1 entry added to {own_database}\n"
    assert database.load(own_database) == (good,)
    (warning,) = caplog.records
    assert "parameter group must be a whole number from 1 to 8192, not 0" in warning.message
