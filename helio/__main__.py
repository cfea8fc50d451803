"""Start the command, as ``helio`` or ``python -m helio``; it can handle Ctrl-C before it imports anything else."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command ``helio``."""
    try:
        from helio import interrupts

        interrupts.install()
    except KeyboardInterrupt:  # in the first few milliseconds
        import os

        os.write(2, b"cancelled; nothing was begun\n")
        os._exit(130)
    interrupts.carry_out(_run)


def _run() -> None:
    from helio.cli import command_for

    command_for(sys.argv[1:])()


if __name__ == "__main__":
    main()
