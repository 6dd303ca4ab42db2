"""The script that lets a shell complete commands."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

from pyclfft import __main__ as commands
from pyclfft import completion
from pyclfft.planning.solvers import BY_NAME


def test_without_shtab(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert commands.main(["completion", "bash"]) == 2
    said = "pyclfft completion: error: shell completion needs shtab: pip install shtab\n"
    assert capsys.readouterr() == ("", said)


def test_an_unknown_shell(capsys):
    with pytest.raises(SystemExit, match="2"):
        commands.main(["completion", "dash"])
    assert re.search("'dash'.*bash.*zsh.*fish", capsys.readouterr().err)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_script_names_all_commands(shell, capsys):
    pytest.importorskip("shtab")
    assert commands.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in commands.COMMANDS:
        assert name in script
    for word in ("quiet", "butterworth", "stockham", "worksize"):
        assert word in script


# What bash is to complete, and what that may become.
TYPED = {
    ("pyclfft", "sel"): {"selftest"},
    ("pyclfft", "filter", "--sha"): {"--shape"},
    ("pyclfft", "filter", "--shape", "b"): {"butterworth"},
    ("pyclfft", "filter", "--algorithm", ""): set(BY_NAME),
    ("pyclfft", "filter", "pic"): {"picture.png"},
    ("pyclfft", "filter", "picture.png", "-o", "ot"): {"other.png"},
    ("pyclfft", "spectrogram", "--csv", "ot"): {"other.png"},
    ("pyclfft", "bench", "st"): {"stft"},
    ("pyclfft", "bench", "stft", "--sec"): {"--seconds"},
    ("pyclfft", "help", "sp"): {"spectrogram", "spectrum"},
    ("pyclfft", "completion", ""): set(completion.SHELLS),
}


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize("words", TYPED, ids=" ".join)
def test_bash_completes(words, tmp_path, capsys):
    pytest.importorskip("shtab")
    for name in ("picture.png", "other.png"):
        (tmp_path / name).touch()
    commands.main(["completion", "bash"])
    script = tmp_path / "script.sh"
    script.write_text(
        capsys.readouterr().out + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        "call=$(complete -p pyclfft); call=${call#*-F }\n"
        '"${call%% *}" pyclfft "${@: -1}" "${@: -2:1}"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", script, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == TYPED[words]


def test_arguments_that_name_files_are_known():
    """A new one with another metavar would complete to nothing."""
    kinds = {
        action.metavar
        for module, _ in commands.COMMANDS.values()
        for action in import_module(module).parser()._actions
        if isinstance(action.metavar, str)
    }
    no_files = {
        "N", "N,...", "NAME", "NAME,...", "SPEC", "SECONDS", "RANGE", "S", "AxB,...", "SHELL",
        "M", "FY,FX", "ANGLE", "AMOUNT", "BOOST", "PIXELS", "FREQUENCY", "DEGREES", "PERCENT",
        "DB", "TEXT", "WxH", "LOW HIGH", "PIXELS [PIXELS]",
        "[RADIUS]", "RADIUS", "FORMAT", "K/N", "K,...", "CHARACTER", "P", "HZ", "KIND",
    }  # fmt: skip
    assert kinds <= no_files | set(completion.FILES)
