"""Ninety simulated days of a service with failing archives, disks and processes, checked against an oracle.

    python -m benchmarks.service_90_days [--days 90] [--pipelines 12] [--seed 1] [--rate 0.05]

The clock is simulated; requests, processes, files and messages are real. The archives are a stand-in for CDAWeb, one
for a HAPI server, and folders. On every third day the loop of `helio serve` does the work, with a stand-in for its
engine; on the other days, the simulation calls the same functions as the processes of the loop. RATE is the share of
each kind of fault among all days of all pipelines. Prints a table of all events, and of what was expected, seen and
wrong; ends with 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from pathlib import Path

from benchmarks.simulation.script import write_script
from benchmarks.simulation.service import simulate


def main() -> int:
    """Simulate, and print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--days", type=int, default=90)
    options.add_argument("--pipelines", type=int, default=12)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--rate", type=float, default=0.05)
    options.add_argument("--messages", action="store_true", help="print each kind of message once")
    chosen = options.parse_args()
    logging.disable(logging.WARNING)
    begun = time.monotonic()
    script = write_script(chosen.seed, chosen.days, chosen.pipelines, chosen.rate)
    with tempfile.TemporaryDirectory() as place:
        report = simulate(Path(place), script)
    print(report.table())
    for complaint in report.complaints[:60]:
        print(complaint)
    if chosen.messages:
        for message in report.messages:
            print(f"--- {message['title']}\n{message['message']}")
    wrong = sum(report.wrong.values())
    print(
        f"{chosen.days} days, {chosen.pipelines} pipelines, seed {chosen.seed}: {wrong} wrong, "
        f"{time.monotonic() - begun:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
