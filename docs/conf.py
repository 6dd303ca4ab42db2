"""Configuration of the documentation: ``sphinx-build -W -b html docs OUT``, without network."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import pyclfft

sys.path.insert(0, str(Path(__file__).parent))
from elsewhere import ALIASES, WORDS, mapping

project = "pyclfft"
copyright = "the pyclfft authors"
version = release = pyclfft.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "on-pypi.md"]
templates_path = ["templates"]
default_role = "py:obj"  # `Plan` in a docstring links to Plan, where that is documented
highlight_language = "text"

myst_heading_anchors = 3
autodoc_typehints = "none"  # numpydoc's sections say it in words
autosummary_generate = True  # a page for each public name, in reference/generated
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_attributes_as_param_list = True
numpydoc_xref_param_type = True
numpydoc_xref_aliases = ALIASES
numpydoc_xref_ignore = WORDS
intersphinx_mapping = mapping(Path(tempfile.mkdtemp(prefix="inventories-")))
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,  # times of one run on one machine tell nothing
    "abort_on_example_error": True,
}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = False

html_theme = "furo"
html_title = f"pyclfft {version}"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fae", "color-brand-content": "#0b5fae"},
    "dark_css_variables": {"color-brand-primary": "#7db8f0", "color-brand-content": "#7db8f0"},
}
html_static_path = ["static"]
html_css_files = ["pyclfft.css"]
html_copy_source = False
html_show_sphinx = False


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
