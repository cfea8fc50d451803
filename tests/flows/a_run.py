"""A run in a process of its own, to be interrupted: ``python -m tests.flows.a_run HOME URL SECONDS``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from helio.errors import Cancelled
from helio.flows import run
from helio.flows.run import FlowRequest, run_flow
from tests.flows.conftest import Runner, diamond
from tests.waiting import LONG

run.GRACE = run.LETTING_GO = LONG  # a busy machine takes longer to report the end than a person would wait


def say(line: str) -> None:
    """Write a whole line at once: steps speak from several threads."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


class Told(Runner):
    """Says when it is told to stop."""

    def cancel(self) -> None:
        say("cancel")
        super().cancel()


def main(home: str, url: str, seconds: str) -> None:
    """Run the diamond, each step taking so many seconds."""
    try:
        results = run_flow(
            FlowRequest(diamond(), "a-run", Path(home), url if url != "ephemeral" else None),
            Told(takes=float(seconds)),
            started=lambda step: say(f"started {step.step_id}"),
            recorded=lambda flow_run_id: say(f"recorded {flow_run_id}"),
        )
    except Cancelled:
        say("cancelled")
        sys.exit(130)
    say(" ".join(["states", *(result.state for result in results)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
