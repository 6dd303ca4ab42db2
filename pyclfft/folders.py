"""Images in folders and in the folders below them, for commands that take whole folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .errors import PlanError

# The endings of the names of images. Other files in a folder are no inputs.
IMAGES = {
    ".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pfm", ".pgm", ".png", ".pnm", ".ppm", ".tif",
    ".tiff", ".webp",
}  # fmt: skip


@dataclass
class Found:
    """What was found in folders.

    Attributes
    ----------
    below : dict of Path to str
        The images, each with the path from the given folder to the image's own folder.
    unread : list of OSError
        The errors of folders that cannot be read.
    """

    below: dict[Path, str] = field(default_factory=dict)
    unread: list[OSError] = field(default_factory=list)

    @property
    def files(self) -> list[str]:
        """The names of the images."""
        return [str(path) for path in self.below]


def find_files(inputs: Sequence[str], results: Sequence[str]) -> Found:
    """Find the images in folders and in the folders below them, sorted by name.

    No link to a folder is followed, and no link to a file outside of the given folder: links lead
    out of it, or in circles, or to what is found anyway.

    Parameters
    ----------
    inputs : sequence of str
        Names of folders; a name of a file stands for itself.
    results : sequence of str
        Names of folders for results; below `inputs` they are left out.

    Returns
    -------
    Found

    Raises
    ------
    PlanError
        There are no images.
    """
    found = Found()
    left_out = {Path(name).resolve() for name in results}
    for name in inputs:
        folder = Path(name)
        if not folder.is_dir():
            found.below.setdefault(folder, "")
            continue
        inside = folder.resolve()
        for path in _images_in(folder, left_out - {inside}, found.unread):
            if path.resolve().is_relative_to(inside):
                found.below.setdefault(path, str(path.parent.relative_to(folder)))
    if not found.below and not found.unread:
        raise PlanError(f"{', '.join(inputs)}: no images: their names end in {' '.join(IMAGES)}")
    return found


def _images_in(folder: Path, left_out: set[Path], unread: list[OSError]) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, onerror=unread.append):
        folders[:] = sorted(each for each in folders if Path(place, each).resolve() not in left_out)
        for name in sorted(files):
            if Path(name).suffix.lower() in IMAGES:
                yield Path(place, name)
