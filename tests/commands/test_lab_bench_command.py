"""The command `bench lab`: what it says if something is missing, and a short run in Chromium."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from pyclfft.bench import lab

pytestmark = pytest.mark.one_cpu


def test_without_selenium_the_package_is_named(monkeypatch, capsys):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(lab, "import_module", missing)
    assert lab.main([]) == 2
    assert "pip install selenium" in capsys.readouterr().err


def test_without_chromium_the_package_is_named(monkeypatch, capsys):
    monkeypatch.setattr(lab, "import_module", lambda name: None)
    monkeypatch.setattr(lab.shutil, "which", lambda name: None)
    assert lab.main([]) == 2
    assert "apt-get install chromium chromium-driver" in capsys.readouterr().err


def test_a_folder_that_is_missing_is_an_error(capsys):
    assert lab.main(["--json", "nowhere/a.json"]) == 2
    assert "nowhere/a.json: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("name", lab.IMAGES)
def test_the_device_is_timed(device, name, monkeypatch):
    monkeypatch.setattr(lab, "SIDE", 64)
    image = lab.picture(lab.IMAGES[name][0])
    assert image.shape[:2] == (64, 64)
    assert image.dtype == np.uint8
    assert image.std() > 20
    times = lab.device_times(image, 3)
    assert len(times) == 3
    assert all(0 < ms < 60_000 for ms in times)


@pytest.mark.full
def test_a_short_run(tmp_path, capfd):
    pytest.importorskip("nicegui")
    pytest.importorskip("selenium")
    if not shutil.which("chromedriver"):
        pytest.skip("there is no Chromium: apt-get install chromium chromium-driver")
    assert lab.main(["--samples", "3", "--json", str(tmp_path / "lab.json")]) == 0
    document = json.loads((tmp_path / "lab.json").read_text())
    assert [row["image"] for row in document["rows"]] == ["grey", "colour"]
    assert all(row["page_ms"]["count"] == 3 and row["page_ms"]["median"] > 0
               for row in document["rows"])  # fmt: skip
    assert "colour" in capfd.readouterr().out
