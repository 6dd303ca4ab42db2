"""A lab that runs: `pyclfft lab` as a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys

from tests.conftest import ROOT, module_path

SAMPLES = ROOT / "samples"


class Lab:
    """A process of `pyclfft lab`, and a browser's part in talking to it."""

    def __init__(self, log, *arguments):
        self.log = log
        environment = {n: v for n, v in os.environ.items() if n != "PYTEST_CURRENT_TEST"}
        command = [
            sys.executable,
            "-u",
            "-m",
            "pyclfft",
            "lab",
            "--no-browser",
            *map(str, arguments),
        ]
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                command, cwd=log.parent, env=environment | {"PYTHONPATH": module_path()},
                stdout=subprocess.PIPE, stderr=file, text=True,
            )  # fmt: skip
        self.link = re.search(r"http://\S+|$", self.process.stdout.readline())[0]
        assert self.link, log.read_text()
        self.port = int(re.search(r":(\d+)/", self.link)[1])
        self.cookie = ""

    def enter(self):
        """Spend the link's token, as a browser does that opens it; return where it leads."""
        answer, page = self.ask(self.link.partition(str(self.port))[2])
        self.cookie = answer.getheader("Set-Cookie").partition(";")[0]
        return re.search(rb'content="0;url=([^"]*)"', page)[1].decode()

    def ask(self, path, body=None, method=None, **headers):
        """Return the answer to a request and its body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie, **headers} if self.cookie else headers
        connection.request(method or ("GET" if body is None else "POST"), path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def new_tab(self):
        """Load the page; return the path of its tab."""
        _, page = self.ask("/")
        found = re.search(rb'"tab":\s*"([0-9a-f-]{36})"', page)
        assert found, page[:2000]
        return f"/tab/{found[1].decode()}"

    def error(self, *arguments, **options):
        """Return the status and the words of an answer that is an error."""
        answer, data = self.ask(*arguments, **options)
        return answer.status, json.loads(data)["error"]

    def end(self):
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()
