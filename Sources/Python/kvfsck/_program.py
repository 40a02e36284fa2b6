"""Where the program is."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Iterator

from ._errors import CannotRunError


def program() -> str:
    """Return the path of the program ``kvfsck``.

    It is what the environment variable KVFSCK names; otherwise that in the scripts folder of the environment in which
    this package is installed; otherwise that in PATH.
    """
    named = os.environ.get("KVFSCK")
    if named:
        return named
    name = "kvfsck.exe" if os.name == "nt" else "kvfsck"
    for folder in _folders():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("kvfsck")
    if found is None:
        raise CannotRunError(
            None, ["kvfsck: error: the program kvfsck was not found; name it in the environment variable KVFSCK"]
        )
    return found


def _folders() -> Iterator[str]:
    """Yield the folders in which an installer puts the scripts of this package."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for scheme in sysconfig.get_scheme_names():
        try:
            paths = sysconfig.get_paths(scheme)
        except (KeyError, AttributeError):
            continue
        if any(os.path.realpath(paths.get(kind, "")) == os.path.realpath(home) for kind in ("purelib", "platlib")):
            yield paths["scripts"]
    # pip install --target
    yield os.path.join(home, "bin")
