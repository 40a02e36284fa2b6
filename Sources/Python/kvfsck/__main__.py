"""``python -m kvfsck ARGUMENTS`` runs the program."""

import os
import subprocess
import sys

from ._errors import KvfsckError
from ._program import program


def main() -> int:
    """Become the program."""
    try:
        path = program()
        if os.name != "nt":
            os.execv(path, ["kvfsck", *sys.argv[1:]])
        return subprocess.call([path, *sys.argv[1:]])
    except KvfsckError as error:
        print(*error.messages, sep="\n", file=sys.stderr)
    except OSError as error:
        print(f"kvfsck: error: {error}", file=sys.stderr)
    return 8


if __name__ == "__main__":
    sys.exit(main())
