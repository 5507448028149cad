"""The files of a folder that becomes a site."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from webkiln import types

# What systems and tools leave in folders, and nobody means to publish.
_LEFT_OUT = {"__MACOSX", ".DS_Store", ".git"}
_MAX_FILES = 2_000
_MAX_BYTES = 25_000_000


@dataclass(frozen=True)
class File:
    """A file by its path in the site."""

    path: str
    sha256: str
    content: bytes


def files_of(folder: str) -> list[File]:
    """Reads a folder. Raises `ValueError` for links, and for more than a site may have."""
    root = Path(folder)
    if not (root / "index.html").is_file():
        raise ValueError(f"{folder} has no index.html: name the folder that your build makes")
    files: list[File] = []
    size = 0
    for at in sorted(root.rglob("*")):
        path = at.relative_to(root)
        if _LEFT_OUT & set(path.parts) or (at.is_dir() and not at.is_symlink()):
            continue
        if at.is_symlink() or not at.is_file():
            raise ValueError(f"{at} is a link or no file: put the file that it points to in its place")
        content = at.read_bytes()
        size += len(content)
        if len(files) == _MAX_FILES or size > _MAX_BYTES:
            raise ValueError(
                f"{folder} has more than {_MAX_FILES} files or 25 MB: name the folder that your build makes"
            )
        files.append(File(path.as_posix(), hashlib.sha256(content).hexdigest(), content))
    return files


def draft_of(files: Iterable[File], there: Container[str]) -> types.DraftFiles:
    """Returns the files as the API takes them: of a content that is there only its digest."""
    return {
        file.path: {"sha256": file.sha256}
        if file.sha256 in there
        else {"content": base64.b64encode(file.content).decode(), "encoding": "base64"}
        for file in files
    }
