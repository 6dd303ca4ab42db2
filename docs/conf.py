"""Configuration of the documentation: ``sphinx-build -W -b html docs OUT``, without network."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import pyclfft

project = "pyclfft"
copyright = "the pyclfft authors"
version = release = pyclfft.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["_build"]
default_role = "py:obj"  # `Plan` in a docstring links to Plan, where that is documented
highlight_language = "text"

myst_heading_anchors = 3
autodoc_typehints = "none"  # numpydoc's sections say it in words
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_attributes_as_param_list = True

html_theme = "alabaster"
html_theme_options = {
    "description": "Fast Fourier transforms on any OpenCL device",
    "page_width": "1100px",
    "sidebar_width": "220px",
    "fixed_sidebar": True,
}
html_copy_source = False


class CommandHelp(SphinxDirective):
    """``{command-help} pyclfft.filter``: what the command says of itself."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Run ``python -m MODULE [COMMAND] --help``."""
        words = self.arguments[0].split()
        environment = {**os.environ, "COLUMNS": "96", "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, "-m", *words, "--help"],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        if done.returncode:
            raise self.error(f"{' '.join(words)} --help fails: {done.stderr}")
        block = nodes.literal_block(done.stdout, done.stdout)
        block["language"] = "text"
        return [block]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
