"""The tuning database: files that survive damage, later versions and several writers."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from pyclfft.errors import FormatError
from pyclfft.tuning import database
from pyclfft.tuning.lookup import DEFAULTS, Entry, Identity, Workclass

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


DAMAGED = {
    "empty": "",
    "cut off": '{"schema": 1, "devices": [{"dev',
    "a list": "[1, 2]",
    "a number": "7",
    "no devices": '{"schema": 1}',
    "a device without a name": '{"schema": 1, "devices": [{"device": {}, "entries": []}]}',
    "of a later version": '{"schema": 2, "devices": []}',
    "not text": b"\xff\xfe\x00",
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
    "change",
    [
        {"problem": "nonsense"},
        {"problem": 7},
        {"parameters": {"no_such": 1}},
        {"parameters": {"stockham_radices": [[17]]}},
        {"parameters": []},
        {"unknown field": 1},
    ],
)
def test_entries_that_make_no_sense_are_left_out(path, change, caplog):
    write(path, ENTRIES)
    document = json.loads(path.read_text())
    document["devices"][0]["entries"][0] |= change
    path.write_text(json.dumps(document))
    assert database.read(path) == ENTRIES[1:]
    assert "an entry of the tuning database was left out" in caplog.text


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


def test_what_comes_with_pyclfft_can_be_read(caplog):
    """Every entry: those that make no sense would be left out."""
    entries = database.shipped()
    assert not caplog.records
    for each in entries:
        assert each.values.keys() <= DEFAULTS["gpu"].keys()
        assert each.workclass is None or 0 < each.ms <= each.default_ms
    assert len({(each.identity, each.workclass) for each in entries}) == len(entries)
