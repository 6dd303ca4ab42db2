"""The lab as a process: what it lets in, what it answers, and that nothing brings it down."""

from __future__ import annotations

import io
import json
import re
import signal
import socket
import stat
import struct
import zlib
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np
import pytest
from PIL import Image

from pyclfft.image.imagefile import read_image
from pyclfft.lab import command
from pyclfft.lab.guard import MAX_BODY_BYTES
from pyclfft.lab.tabs import MAX_TABS
from tests.lab_process import SAMPLES, Lab


def png(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def pixels_of(data):
    return np.asarray(Image.open(io.BytesIO(data)))


def bomb(width, height):
    """A PNG file of few bytes that claims many pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_it_listens_on_this_machine_alone(lab):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", lab.port), timeout=5)
    for address in {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None)}:
        if address not in ("127.0.0.1", "::1"):
            with pytest.raises(OSError):
                socket.create_connection((address, lab.port), timeout=5)


def test_its_page_and_its_scripts_need_the_cookie(lab):
    _, page = lab.ask("/")
    names = page.decode().split('"')
    scripts = [next(each for each in names if each.endswith(name)) for name in (
        "nicegui.js", "/views.js", "/exchange.js")]  # fmt: skip
    tab = lab.new_tab()
    for path in ("/", *scripts, f"{tab}/result", f"{tab}/save", "/_nicegui_ws/socket.io/?EIO=4"):
        answer, _ = lab.ask(path, Cookie="")
        assert answer.status == 403, path
        answer, _ = lab.ask(path)
        assert answer.status in (200, 400), path
        assert answer.getheader("Referrer-Policy") == "no-referrer"


def test_its_socket_wants_an_origin(lab):
    upgrade = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    path, own = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket", f"http://127.0.0.1:{lab.port}"
    for more, status in (({"Origin": own}, 101), ({}, 403), ({"Origin": "http://a.example"}, 403)):
        with socket.create_connection(("127.0.0.1", lab.port), timeout=10) as raw:
            fields = {"Host": f"127.0.0.1:{lab.port}", "Cookie": lab.cookie, **upgrade, **more}
            lines = [f"GET {path} HTTP/1.1", *(f"{n}: {v}" for n, v in fields.items()), "", ""]
            raw.sendall("\r\n".join(lines).encode())
            assert int(raw.recv(100).split()[1]) == status


def test_the_first_image_is_shown(lab):
    tab = lab.new_tab()
    file = read_image(SAMPLES / "depth12.pgm")
    for view in ("before", "spectrum", "result"):
        answer, data = lab.ask(f"{tab}/{view}")
        assert (answer.status, answer.getheader("Content-Type")) == (200, "image/jpeg")
        assert pixels_of(data).shape == file.pixels.shape
    _, data = lab.ask(f"{tab}/before")
    expected = file.pixels * (255 / file.maxval)
    assert np.abs(pixels_of(data) - expected).mean() < 3  # a JPEG


def test_an_upload_is_shown_and_saved_in_full_depth(lab):
    tab = lab.new_tab()
    image = np.random.default_rng(3).integers(0, 65536, (30, 40), np.uint16)
    answer, _ = lab.ask(f"{tab}/open?name=a%20b.png", png(image))
    assert answer.status == 200
    _, data = lab.ask(f"{tab}/result")
    assert pixels_of(data).shape == (30, 40)
    answer, data = lab.ask(f"{tab}/save")
    assert answer.getheader("X-Name") == "a%20b_lowpass.png"
    assert pixels_of(data).dtype.itemsize >= 2
    assert len(np.unique(pixels_of(data))) > 256


def test_the_notches_of_an_image_are_listed(lab):
    tab = lab.new_tab()
    noise = np.random.default_rng(3).normal(0, 3, (64, 96))
    waves = 120 + 60 * np.sin(np.arange(96) * np.pi / 4)
    lab.ask(f"{tab}/open?name=waves.png", png((waves + noise).astype(np.uint8)))
    (notch,) = json.loads(lab.ask(f"{tab}/notches")[1])
    assert notch["isOn"]
    assert notch["down"] == 0
    assert notch["across"] == notch["frequency"] == pytest.approx(1 / 8, abs=0.1 / 96)
    assert notch["period"] == pytest.approx(8, rel=0.01)
    assert notch["angle"] == 0
    lab.ask(f"{tab}/open?name=plain.png", png(np.zeros((64, 96), np.uint8)))
    assert json.loads(lab.ask(f"{tab}/notches")[1]) == []


def test_the_mask_of_a_filter_is_a_picture(lab):
    tab = lab.new_tab()
    lab.ask(f"{tab}/open?name=a.png", png(np.zeros((30, 40), np.uint8)))
    answer, data = lab.ask(f"{tab}/mask")
    assert answer.getheader("X-Name") == "mask.png"
    down, across = (np.arange(n) - n // 2 for n in (30, 40))
    squared = np.add.outer((down / 30) ** 2, (across / 40) ** 2)
    expected = 65535 * np.exp(-0.5 * squared / 0.125**2)  # of the low pass that comes first
    assert np.abs(pixels_of(data) - expected).max() < 1


def test_tabs_do_not_see_each_other(lab):
    one, other = lab.new_tab(), lab.new_tab()
    lab.ask(f"{one}/open?name=small.png", png(np.zeros((8, 9), np.uint8)))
    assert pixels_of(lab.ask(f"{one}/before")[1]).shape == (8, 9)
    assert pixels_of(lab.ask(f"{other}/before")[1]).shape != (8, 9)
    assert lab.error("/tab/00000000-0000-0000-0000-000000000000/result")[0] == 404
    assert lab.error("/tab/0/open", b"x")[0] == 404


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"hello", "convert it to one of these"),
        (png(np.zeros((9, 9), np.uint8))[:-30], "damaged"),
        (bomb(30000, 30000), "more than 50 million pixels"),
        (bomb(8000, 8000), "more than 50 million pixels"),
        (b"P5 60000 60000 255\n", "more than 50 million pixels"),
        (b"P5 9 9 255\n", "truncated"),
    ],
)
def test_a_bad_upload_is_answered_by_words_and_changes_nothing(lab, data, words):
    tab = lab.new_tab()
    _, before = lab.ask(f"{tab}/before")
    status, said = lab.error(f"{tab}/open?name=bad.png", data)
    assert status == 400
    assert said.startswith("bad.png: ")
    assert words in said
    assert lab.ask(f"{tab}/before")[1] == before


def test_an_upload_above_the_limit_is_refused_by_its_length(lab):
    tab = lab.new_tab()
    headers = {"Content-Length": str(MAX_BODY_BYTES + 1)}
    with socket.create_connection(("127.0.0.1", lab.port), timeout=10) as raw:
        lines = [
            f"POST {tab}/open HTTP/1.1", f"Host: 127.0.0.1:{lab.port}", f"Cookie: {lab.cookie}",
            *(f"{n}: {v}" for n, v in headers.items()), "", "",
        ]  # fmt: skip
        raw.sendall("\r\n".join(lines).encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 413")
    assert lab.ask(f"{tab}/before")[0].status == 200


@pytest.mark.parametrize(
    ("name", "shown"),
    [("../../etc/passwd", "passwd"), ("C:\\a\\b.png", "b.png"), ("-rf.png", "-rf.png"),
     ("a\nb\x1b[31m.png", "ab[31m.png"), ("", "image"), ("'\"$(id).png", "'\"$(id).png")],
)  # fmt: skip
def test_a_name_is_only_text(lab, name, shown):
    tab = lab.new_tab()
    lab.ask(f"{tab}/open?name={quote(name)}", png(np.zeros((8, 9), np.uint8)))
    answer, _ = lab.ask(f"{tab}/save")
    stem = shown.rpartition(".")[0] or shown
    assert unquote(answer.getheader("X-Name")) == f"{stem}_lowpass.png"
    assert "\n" not in lab.ask(f"{tab}/command")[1].decode()


def test_its_log_holds_no_token(lab):
    token = lab.link.rpartition("=")[2]
    lab.ask(f"/nowhere?token={token}")
    lab.ask(f"/?token={token}", Cookie="")
    log = lab.log.read_text()
    assert token not in log
    assert lab.cookie.partition("=")[2] not in log


def test_pages_that_no_browser_shows_take_no_room(lab):
    first = lab.new_tab()
    for _ in range(MAX_TABS):
        last = lab.new_tab()
    assert lab.ask(f"{first}/before")[0].status == 404
    assert lab.ask(f"{last}/before")[0].status == 200


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.png"], "nowhere.png: No such file"),
        (["--port", "65536"], "'65536' is no port"),
        (["--port", "x"], "'x' is no port"),
        (["--device", "no such device"], "no OpenCL device fits"),
    ],
)
def test_an_error_is_one_line(arguments, words, capsys, monkeypatch):
    try:
        status = command.main(arguments)
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert words in line


def test_a_file_that_is_no_image_is_an_error(tmp_path, capsys):
    (tmp_path / "a.png").write_text("hello")
    assert command.main([str(tmp_path / "a.png")]) == 2
    assert f"{tmp_path / 'a.png'}: no image" in capsys.readouterr().err


def test_a_port_in_use_is_an_error(lab, capsys):
    assert command.main(["--port", str(lab.port), "--no-browser"]) == 2
    assert f"port {lab.port} of 127.0.0.1 cannot be used" in capsys.readouterr().err


def test_without_nicegui_the_package_is_named(monkeypatch, capsys):
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)
    assert command.main([]) == 2
    assert "pip install nicegui" in capsys.readouterr().err


def test_the_browser_gets_the_link_from_a_file_that_only_this_user_reads(
    tmp_path, monkeypatch, capsys
):
    opened = []
    monkeypatch.setattr(command.webbrowser, "open", lambda address: opened.append(address))
    link = "http://127.0.0.1:1/?token=abc&b=1"

    def serve(first, port, device, tell):
        tell(link)
        path = unquote(opened[0].removeprefix("file://"))
        assert "url=http://127.0.0.1:1/?token=abc&amp;b=1" in Path(path).read_text()
        assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
        raise KeyboardInterrupt

    monkeypatch.setattr("pyclfft.lab.server.serve", serve)
    assert command.main([]) == 0
    assert "abc" not in opened[0]
    assert link in capsys.readouterr().out


def test_ctrl_c_ends_it(lab):
    """By the signal itself, and with the status 0."""
    other = Lab(lab.log.with_name("other"))
    other.enter()
    other.process.send_signal(signal.SIGINT)
    assert other.process.wait(20) == 0
    assert "The lab is closed." in other.process.stdout.read()
    other.process.stdout.close()
    assert other.log.read_text() == ""


# --- sounds ---------------------------------------------------------------------------------------


def test_a_sound_is_shown_cut_and_put_into_a_room(lab):
    _, page = lab.ask("/sound")
    tab = "/sound-tab/" + re.search(rb'"tab":\s*"([0-9a-f-]{36})"', page)[1].decode()
    assert lab.error(f"{tab}/levels") == (400, "no sound is open: open one first")
    assert lab.error(f"{tab}/room?name=a.wav", b"x")[0] == 400
    tune = (SAMPLES / "tune.wav").read_bytes()
    assert lab.ask(f"{tab}/open?name=tune.wav", tune)[0].status == 200
    answer, data = lab.ask(f"{tab}/levels")
    axes = json.loads(lab.ask(f"{tab}/axes")[1])
    assert answer.getheader("Content-Type") == "image/png"
    assert len(pixels_of(data)) == len(axes["edges"]) - 1
    assert axes["seconds"] == pytest.approx(5)
    assert json.loads(lab.ask(f"{tab}/notes")[1])[0]["name"]
    answer, dry = lab.ask(f"{tab}/whole")
    assert (answer.getheader("X-Name"), dry) == ("tune_copy.wav", tune)
    answer, part = lab.ask(f"{tab}/part?start=1&end=2&low=100&high=900")
    assert answer.getheader("X-Name") == "tune_part.wav"
    assert len(part) == pytest.approx(len(tune) / 5, abs=100)
    assert lab.error(f"{tab}/part?start=2&end=1&low=1&high=2")[0] == 400
    assert lab.ask(f"{tab}/room?name=hall.wav", tune)[0].status == 200
    answer, wet = lab.ask(f"{tab}/whole")
    assert answer.getheader("X-Name") == "tune_changed.wav"
    assert len(wet) > len(dry)
    assert lab.ask(f"{tab}/dry", b"")[0].status == 200
    assert lab.ask(f"{tab}/whole")[1] == dry
    box = "start=1&end=2&low=100&high=900"
    assert lab.error(f"{tab}/edit?{box}", b"")[0] == 400
    assert lab.ask(f"{tab}/edit?{box}&gain=-inf", b"")[0].status == 200
    edited = lab.ask(f"{tab}/whole")[1]
    assert len(edited) == len(dry)
    assert edited != dry
    assert lab.ask(f"{tab}/undo", b"")[0].status == 200
    assert lab.ask(f"{tab}/whole")[1] == dry
    status, words = lab.error(f"{tab}/open?name=bad.wav", b"hello")
    assert (status, words.startswith("bad.wav: ")) == (400, True)
    assert lab.error(f"{lab.new_tab()}/levels".replace("/tab/", "/sound-tab/"))[0] == 404


def test_a_sound_and_a_device_come_first(lab):
    other = Lab(lab.log.with_name("sound"), SAMPLES / "tune.wav", "--device", "cpu")
    try:
        assert other.enter() == "/sound"
        _, page = other.ask("/sound")
        tab = "/sound-tab/" + re.search(rb'"tab":\s*"([0-9a-f-]{36})"', page)[1].decode()
        assert json.loads(other.ask(f"{tab}/axes")[1])["seconds"] == pytest.approx(5)
        tab = other.new_tab()
        other.ask(f"{tab}/open?name=a.png", png(np.zeros((8, 9), np.uint8)))
        assert b"--device cpu" in other.ask(f"{tab}/command")[1]
    finally:
        other.end()
