"""The page "How fast is it?" says what the files in docs/results say, and so does the README."""

from __future__ import annotations

import copy
import importlib
import json
import re
from dataclasses import replace
from math import exp, log, prod
from pathlib import Path

import pytest

from pyclfft.bench import stored

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ON_OTHER_PAGES = (
    "convolve", "dft", "distributed", "ladder", "pieces", "realtime", "stft", "worksize",
)  # fmt: skip
RESULTS = {
    path.name: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DOCS / "results").glob("*.json"))
    if not path.name.startswith(ON_OTHER_PAGES)
}
PAGE = (DOCS / "explanation/speed.md").read_text(encoding="utf-8")


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("make_speed")


def part(name):
    """Return what the page has of a file, its lines not broken."""
    (found,) = (each for each in PAGE.split("\n## ") if f"(../results/{name})" in each)
    return found.replace("\n  ", " ")


# ---------------------------------------------------------------- the page


def test_the_page_is_what_the_script_writes(speed, tmp_path):
    speed.main(["--check"])
    speed.main(["--output", str(tmp_path / "new.md")])
    assert (tmp_path / "new.md").read_text(encoding="utf-8") == PAGE


def test_a_page_that_was_edited_is_refused(speed, tmp_path):
    edited = tmp_path / "speed.md"
    changed = re.sub(r"\d\.\d{3} times as fast", "9.999 times as fast", PAGE, count=1)
    assert changed != PAGE
    edited.write_text(changed, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"^.*speed\.md is not what .*make_speed\.py writes.*$"):
        speed.main(["--check", "--output", str(edited)])
    with pytest.raises(SystemExit, match=r"none\.md"):
        speed.main(["--check", "--output", str(tmp_path / "none.md")])


def test_every_run_is_shown(speed):
    assert {Path(run.results).name for run in speed.RUNS} == set(RESULTS)
    for run in speed.RUNS:
        assert f"](../{run.picture})" in PAGE
        assert (DOCS / run.picture).exists()


@pytest.mark.parametrize("name", RESULTS)
def test_every_row_is_shown(name):
    lines = part(name).splitlines()
    for row in RESULTS[name]["rows"]:
        device = [row["device"]] if row.get("device") else []
        ours = row["outcomes"]["pyclfft"]
        cells = [row["case"], *device, row["batch"], f"{ours['ms']['median']:.4g}"]
        (line,) = (each for each in lines if each.startswith(f"| {' | '.join(map(str, cells))} | "))
        assert f" {ours['fraction']:.0%} |" in line


@pytest.mark.parametrize("name", RESULTS)
def test_means_are_those_of_the_times(name):
    document, text = RESULTS[name], part(name)
    for device in document["devices"] or [""]:
        group, on = ("cpu-target", f" on {device}") if device else ("target", "")
        for rival in (each for each in document["contenders"] if "pyclfft" not in each):
            count, mean = means(name, group, rival, device=device)
            fast = f"- pyclfft{on} is {mean:.3f} times as fast as {rival} (geometric mean of "
            (line,) = (each for each in text.splitlines() if each.startswith(fast))
            assert f" of {count} target rows" in line


def losses(document):
    """Return who is faster than us in which rows, from the times in the file alone."""
    ways = {(rival, "pyclfft") for rival in document["contenders"] if "pyclfft" not in rival}
    ways |= {("scipy", "pyclfft NumPy")} if "pyclfft NumPy" in document["contenders"] else set()
    found = {}
    for row in document["rows"]:
        ms = {name: each["ms"]["median"] for name, each in row["outcomes"].items()}
        on = f" on {row['device']}" if row.get("device") else ""
        for rival, ours in ways:
            names = found.setdefault(f"{rival} compared with {ours}{on}", [])
            if ms.get(rival) and ms[rival] < 0.95 * ms[ours]:
                names.append(f"{row['case']} ({ms[ours] / ms[rival]:.2f})")
    return {who: ", ".join(names) or "none" for who, names in found.items()}


@pytest.mark.parametrize("name", RESULTS)
def test_all_rows_where_we_lose_are_listed(name):
    shown = part(name).partition("\n### Where others are faster\n")[2].partition("\n###")[0]
    listed = dict(line[2:].split(": ") for line in shown.splitlines() if line.startswith("- "))
    assert listed == losses(RESULTS[name])
    assert set(listed.values()) != {"none"}


# ---------------------------------------------------------------- forms of files


def shown(speed, document):
    return speed.section(speed.RUNS[0], stored.results_of(document))


def cells(text, case):
    line = next(line for line in text.splitlines() if line.startswith(f"| {case} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_without_devices_the_form_is_the_old_one(speed):
    new = copy.deepcopy(RESULTS["h200.json"])
    new["devices"] = []
    for row in new["rows"]:
        row["device"] = ""
    old = copy.deepcopy(new)
    del old["devices"]
    for row in old["rows"]:
        del row["device"]
    assert shown(speed, new) == shown(speed, old)


def test_rivals_that_are_missing_or_have_failed(speed):
    document = copy.deepcopy(RESULTS["h200.json"])
    nothing = dict.fromkeys(("median", "low", "high"))
    first, second, third = (row["outcomes"] for row in document["rows"][:3])
    del first["cuFFT"]
    second["cuFFT"] |= {"word": "failed", "reason": "it crashes", "ms": nothing, "error": None}
    third["cuFFT"] |= {"ms": nothing}
    text = shown(speed, document)
    names = [row["case"] for row in document["rows"][:3]]
    at = cells(text, "case").index("cuFFT ms")
    assert [cells(text, name)[at : at + 3] for name in names[:2]] == [
        ["-", "-", "-"], ["failed", "-", "-"],
    ]  # fmt: skip
    assert cells(text, names[2])[at] == "-"
    assert f"- cuFFT failed: {names[1]}: it crashes\n" in text
    assert "times as fast as cuFFT (geometric mean of 22 of 25 target rows; " in text


def test_without_rivals_there_is_nobody_faster(speed):
    nothing = {"startup": [], "calls": [], "crossing": []}
    document = RESULTS["h200.json"] | {"contenders": ["pyclfft"]} | nothing
    text = speed.section(replace(speed.RUNS[0], calls=""), stored.results_of(document))
    assert " compared with " not in text.partition("\n### Where others are faster\n")[2]
    assert "### Plans" not in text


def test_another_schema_is_one_clear_line(speed, tmp_path, monkeypatch):
    file = tmp_path / "new.json"
    file.write_text(json.dumps(RESULTS["h200.json"] | {"schema": 2}), encoding="utf-8")
    monkeypatch.setattr(speed, "RUNS", (speed.Run("Here", str(file), "x.png", "pyclfft bench"),))
    with pytest.raises(SystemExit, match=r"^\S*new\.json: no file of pyclfft bench --json.*$"):
        speed.main(["--output", str(tmp_path / "speed.md")])
    assert not (tmp_path / "speed.md").exists()


# ---------------------------------------------------------------- the README

# A device in the table's words, and the number of rows -> the file, the device, the group of rows.
SPEEDS = {
    ("NVIDIA H200", "428 rows"): ("h200.json", "", "all"),
    ("NVIDIA H100", "428 rows"): ("h100.json", "", "all"),
    ("two cores of an Intel Xeon, Intel's runtime", "12 rows"): (
        "xeon.json",
        "Intel",
        "cpu-target",
    ),
    ("two cores of an Intel Xeon, PoCL", "12 rows"): ("xeon.json", "PoCL", "cpu-target"),
    ("two cores of an AMD EPYC, Intel's runtime", "12 rows"): ("epyc.json", "Intel", "cpu-target"),
    ("two cores of an AMD EPYC, PoCL", "12 rows"): ("epyc.json", "PoCL", "cpu-target"),
}


def counts(row, group, rival):
    """Whether a row is part of a rival's mean, as the page has it.

    Single transforms that their launch decides about are left out of all rows, and CuPy's cosine
    transforms are no part of cuFFT.
    """
    if group != "all":
        return group in row["groups"]
    is_launch = row["batch"] == 1 and prod(row["lengths"]) <= 2**20
    return not is_launch and not (rival == "cuFFT" and "dct" in row["groups"])


def means(name, group, *rivals, device=""):
    """Return how many rows a group has, and each rival's mean over those that it has a time in."""
    found = []
    for rival in rivals:
        rows = [row for row in RESULTS[name]["rows"] if row.get("device", "") == device]
        rows = [row for row in rows if counts(row, group, rival)]
        times = [{who: r["ms"]["median"] for who, r in row["outcomes"].items()} for row in rows]
        ratios = [ms[rival] / ms["pyclfft"] for ms in times if ms.get(rival)]
        found.append(exp(sum(map(log, ratios)) / len(ratios)))
    return len(rows), *found


def test_figures_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| pyclfft is |\n")[2].partition("\n\n")[0].splitlines()[1:]
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    assert [(device, rows) for device, rows, *_ in lines[::2]] == list(SPEEDS)
    for device, rows, rival, said in lines:
        name, on, group = SPEEDS[device, rows]
        rival = re.match(r"\w+", rival)[0].replace("SciPy", "scipy")
        count, mean = means(name, group, rival, device=on)
        figure = said.removesuffix(" times as fast")
        assert figure == f"{mean:.{len(figure.partition('.')[2])}f}", (device, rival)
        assert rows == f"{count} rows" or rival == "cuFFT"


def leads(rival, *, alone):
    """Return the greatest lead of a rival on GPUs: in single transforms, or in all other rows."""
    rows = [row for name in ("h200.json", "h100.json") for row in RESULTS[name]["rows"]]
    rows = [row for row in rows if row["case"].startswith("one-") == alone]
    ratios = [row["outcomes"].get(rival, {}).get("ratio") for row in rows]
    return 1 / min(ratio for ratio in ratios if ratio)


def test_losses_of_the_readme():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    losses = readme.partition("pyclfft loses in some cases.")[2].partition("On CPUs")[0]
    said = re.findall(r"up to ([\d.]+) times as fast", losses)
    others = max(leads(rival, alone=False) for rival in ("cuFFT", "VkFFT"))
    found = leads("cuFFT", alone=True), leads("VkFFT", alone=True), others
    assert said == [f"{lead:.1f}" for lead in found]
