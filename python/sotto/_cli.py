"""The command line, as the console script `sotto`."""
from __future__ import annotations

import signal
import sys

from ._load import core


def main() -> int:
    """Runs the program on the arguments of this process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has a handler of its own
    return int(core.command_line(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
