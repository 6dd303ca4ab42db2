"""The tuning database: files that survive damage, later versions and several writers."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, replace
from math import inf, nan
from random import Random

import pytest

from pyclfft.errors import FormatError
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry, Identity, Workclass
from pyclfft.planning.parameters import DEFAULTS

HERE = Identity("NVIDIA CUDA", "NVIDIA H200", "580.1", "sm_90", "NVIDIA Corporation", "gpu")
THERE = replace(HERE, name="another")
ROWS = Workclass("c2c", "single", (1024,), "rows", 12)
ENTRIES = (
    Entry(HERE, ROWS, {"stockham_radices": ((4, 16, 16), (8, 8)), "algorithm": "stockham"},
          "abc", 1.5, 2.0, "2026-11-22", "measure"),
    Entry(HERE, None, {"group": 64}),
    Entry(THERE, replace(ROWS, algorithm="radix2"), {}, "abc", 1.0, 1.0),
)  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "tuning.json"


def write(path, entries):
    return database.update(path, lambda known: entries)


def test_what_is_written_is_read(path):
    assert write(path, ENTRIES) == ENTRIES
    assert database.read(path) == database.load(path) == ENTRIES
    assert json.loads(path.read_text())["schema"] == database.SCHEMA


def test_no_file_is_an_empty_database(path):
    assert database.read(path) == ()
    with pytest.raises(FileNotFoundError):
        database.load(path)


def of_entries(text):
    """A file that has a text in the place of its entries."""
    device = json.dumps(asdict(HERE))
    return f'{{"schema": 1, "devices": [{{"device": {device}, "entries": {text}}}]}}'


DAMAGED = {
    "empty": "",
    "cut off": '{"schema": 1, "devices": [{"dev',
    "a list": "[1, 2]",
    "a number": "7",
    "no devices": '{"schema": 1}',
    "a device without a name": '{"schema": 1, "devices": [{"device": {}, "entries": []}]}',
    "of a later version": '{"schema": 2, "devices": []}',
    "not text": b"\xff\xfe\x00",
    "no version": '{"schema": "1", "devices": []}',
    "an infinite version": '{"schema": Infinity, "devices": []}',
    "null for devices": '{"schema": 1, "devices": null}',
    "a number for a device": '{"schema": 1, "devices": [5]}',
    "null for entries": of_entries("null"),
    "a number for entries": of_entries("5"),
    "a device of lists": of_entries("[]").replace('"sm_90"', "[90]"),
    "nested deeply": "[" * 100_000,
    "entries nested deeply": of_entries('{"a":' * 100_000),
    "a number of many digits": of_entries("9" * 5000),
    "far too large": of_entries("[" + " " * database.MAX_BYTES + "]"),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_kept_aside(path, text, caplog):
    path.parent.mkdir()
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    assert database.read(path) == ()
    assert "tuning database left out" in caplog.text
    with pytest.raises(FormatError, match=r"tuning.json is (no tuning database|of version 2)"):
        database.load(path)
    database.update(path, lambda known: (*known, *ENTRIES))
    assert database.read(path) == ENTRIES
    assert path.with_name("tuning.json.damaged").read_bytes() == content


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("cut off", "it is not JSON"),
        ("not text", "it is not text"),
        ("nested deeply", "it is nested too deeply"),
        ("a number of many digits", "one of its numbers has too many digits"),
        ("a list", "it has no whole number as its schema"),
        ("null for devices", "its devices are not a list"),
        ("a number for a device", "one of its devices is not described"),
        ("null for entries", "its entries are not a list"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_our_words(path, name, says):
    path.parent.mkdir()
    text = DAMAGED[name]
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError) as raised:
        database.load(path)
    assert str(raised.value) == f"{path} is no tuning database ({says}): move it away"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"problem": "nonsense"}, "'nonsense' names no class of problems"),
        ({"problem": 7}, "problem is a text"),
        ({"problem": None}, "problem is a text"),
        ({"parameters": {"no_such": 1}}, "unknown parameter 'no_such'"),
        (
            {"parameters": {"group": 0}},
            "parameter group must be a whole number from 1 to 8192, not 0",
        ),
        ({"parameters": {"group": inf}}, "parameter group must be a whole number from 1 to 8192"),
        (
            {"parameters": {"algorithm": "gone"}},
            "parameter algorithm must be one of several_axes, equal_axes, small, row",
        ),
        ({"parameters": {"stockham_radices": [[17]]}}, "stockham_radices must be lists of 1 to 6"),
        ({"parameters": []}, "parameters are a mapping"),
        ({"unknown field": 1}, "an entry has problem, parameters, sources"),
        ({"ms": inf}, "ms is no time: inf"),
        ({"ms": nan}, "ms is no time: nan"),
        ({"ms": 10**400}, "ms is no time: 1000"),
        ({"ms": -1}, "ms is no time: -1"),
        ({"ms": "1"}, "ms is no time: '1'"),
        ({"default_ms": None}, "default_ms is no time: None"),
        ({"default_ms": 0}, "default_ms is no time: 0"),
        ({"date": ["2026"]}, "date is a text"),
        ({"effort": "\x1b[2J"}, "effort is a text that can be printed"),
    ],
)
def test_entries_that_make_no_sense_are_left_out(path, change, reason, caplog):
    """One warning names the entry; a copy keeps it when the file is written anew."""
    write(path, ENTRIES)
    document = json.loads(path.read_text())
    document["devices"][0]["entries"][0] |= change
    path.write_text(text := json.dumps(document))
    assert database.read(path) == ENTRIES[1:]
    (warning,) = caplog.records
    assert f"left out of {path}: the entry for " in warning.getMessage()
    assert "'NVIDIA H200'" in warning.getMessage()
    assert reason in warning.getMessage()
    if "problem" not in change:
        assert f"'{ROWS}'" in warning.getMessage()
    caplog.clear()
    write(path, ENTRIES[1:])
    assert len(caplog.records) == 1
    assert path.with_name("tuning.json.damaged").read_text() == text
    caplog.clear()
    assert database.read(path) == ENTRIES[1:]
    assert not caplog.records


def test_entries_that_are_none_are_left_out(path, caplog):
    path.parent.mkdir()
    path.write_text(of_entries('[5, null, "text", [["problem", ""]], {}]'))
    assert database.read(path) == ()
    (warning,) = caplog.records
    assert warning.getMessage().count("the entry for ") == 3
    assert warning.getMessage().endswith("; and 2 more")


def test_any_document_is_read(path, caplog):
    """Random damage to a file: whatever is left of it, nothing but a warning comes of it."""
    random = Random(1)
    whole = json.loads(database.text_of(ENTRIES))
    path.parent.mkdir()
    left_out = 0
    for _ in range(1000):
        path.write_text(json.dumps(damaged(whole, random)))
        caplog.clear()
        entries = database.read(path)
        left_out += len(caplog.records)
        assert len(caplog.records) <= 1
        caplog.clear()
        path.write_text(database.text_of(entries))
        assert database.load(path) == entries
        assert not caplog.records
    assert left_out > 500


STRANGE = (
    None, True, 0, -1, 5, 1.5, inf, nan, 1e300, 10**400, "", "5", "\x1b", "\ud800", [], [[]], {},
    [[12]], [[2, 2]], {"": ""},
)  # fmt: skip


def damaged(value, random):
    """Return a document of which some values are replaced, left out or have another name."""
    if random.random() < 0.05:
        return random.choice(STRANGE)
    if isinstance(value, dict):
        pairs = [(key, damaged(each, random)) for key, each in value.items()]
        kept = [each for each in pairs if random.random() > 0.01]
        return dict(kept) if random.random() > 0.01 else {**dict(kept), "strange": 1}
    return [damaged(each, random) for each in value] if isinstance(value, list) else value


def test_new_entries_take_the_places_of_old_ones():
    faster = replace(ENTRIES[0], values={}, ms=1.0)
    merged = database.merged(ENTRIES, [faster, replace(faster, identity=THERE)])
    assert merged == (faster, *ENTRIES[1:], replace(faster, identity=THERE))


def test_writers_wait_for_each_other(path):
    def add(number):
        own = replace(ENTRIES[0], workclass=replace(ROWS, batch=number))
        database.update(path, lambda known: database.merged(known, [own]))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(24)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {each.workclass.batch for each in database.read(path)} == set(range(24))


def test_a_failed_change_leaves_the_file_as_it_was(path):
    write(path, ENTRIES)
    before = path.read_bytes()
    for change in (lambda known: 1 / 0, lambda known: [object()]):
        with pytest.raises((ZeroDivisionError, AttributeError)):
            database.update(path, change)
        assert path.read_bytes() == before
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "tuning.json",
        "tuning.json.lock",
    ]


def test_only_entries_of_devices_that_are_alike_are_read():
    entries = database.shipped()
    for like in {each.identity for each in entries}:
        alike = database.shipped(like)
        assert alike == tuple(each for each in entries if like.origin(each.identity))
        assert len(alike) < len(entries)


def test_what_comes_with_pyclfft_can_be_read(caplog):
    """Every entry: those that make no sense would be left out."""
    entries = database.shipped()
    assert not caplog.records
    for each in entries:
        assert each.values.keys() <= DEFAULTS["gpu"].keys()
        assert each.workclass is None or 0 < each.ms <= each.default_ms
    assert len({(each.identity, each.workclass) for each in entries}) == len(entries)
