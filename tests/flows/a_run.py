"""A run in a process of its own, to be interrupted: ``python -m tests.flows.a_run HOME URL SECONDS``."""

from __future__ import annotations

import sys
from pathlib import Path

from helio.errors import Cancelled
from helio.flows import run
from helio.flows.run import FlowRequest, run_flow
from tests.flows.conftest import Runner, diamond
from tests.waiting import LONG

run.GRACE = run.LETTING_GO = LONG  # a busy machine takes longer to report the end than a person would wait


class Told(Runner):
    """Says when it is told to stop."""

    def cancel(self) -> None:
        print("cancel", flush=True)
        super().cancel()


def main(home: str, url: str, seconds: str) -> None:
    """Run the diamond, each step taking so many seconds."""
    try:
        results = run_flow(
            FlowRequest(diamond(), "a-run", Path(home), url if url != "ephemeral" else None),
            Told(takes=float(seconds)),
            started=lambda step: print(f"started {step.step_id}", flush=True),
            recorded=lambda flow_run_id: print(f"recorded {flow_run_id}", flush=True),
        )
    except Cancelled:
        print("cancelled", flush=True)
        sys.exit(130)
    print("states", *(result.state for result in results), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
