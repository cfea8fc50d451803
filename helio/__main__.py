"""Where the command ``helio`` begins, and ``python -m helio``: Ctrl-C is taken before anything else is imported."""

from __future__ import annotations


def main() -> None:
    """Run the command."""
    try:
        from helio import interrupts

        interrupts.install()
    except KeyboardInterrupt:  # in the first few milliseconds
        import os

        os.write(2, b"cancelled; nothing was begun\n")
        os._exit(130)
    interrupts.carry_out(_run)


def _run() -> None:
    from helio.cli import app

    app()


if __name__ == "__main__":
    main()
