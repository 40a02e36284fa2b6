"""``python -m kvfsck ARGUMENTS`` runs the program."""

import os
import subprocess
import sys

from ._errors import KvfsckError, cannot_run
from ._program import program


def main() -> int:
    """Become the program."""
    try:
        return _become(program())
    except KvfsckError as error:
        print(*error.messages, sep="\n", file=sys.stderr)
    return 8


def _become(path: str) -> int:
    try:
        if os.name != "nt":
            os.execv(path, ["kvfsck", *sys.argv[1:]])
        return subprocess.call([path, *sys.argv[1:]])
    except OSError as error:
        raise cannot_run(path, error) from error


if __name__ == "__main__":
    sys.exit(main())
