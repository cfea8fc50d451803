"""Compare what helio costs now with the figures of the last release; end with exit code 1 if something is slower.

    python -m benchmarks.compare                    # compare with benchmarks/figures.json
    python -m benchmarks.compare --write VERSION    # measure, and write that file for a release

All figures are ratios of CPU times in one run, so that they hold on another machine: a command to its peer in
`processes.py`, and work inside one process in `repeated_runs.py` to a Typer command that does nothing.
"""

from __future__ import annotations

import json
import statistics
import sys
from functools import partial
from pathlib import Path
from subprocess import run

from benchmarks.processes import NO_OP, measure, rows
from benchmarks.repeated_runs import figures, milliseconds

FIGURES = Path(__file__).with_name("figures.json")
MARGIN = 1.25
"""How many times its figure of the last release a ratio may be; a busy machine moves ratios by a tenth."""
INSIDE = ("a cached day", "a step to plan", "a step made", "a step cached")


def measured() -> dict[str, float]:
    """Measure all ratios, by name."""
    ratios = {name: measure(row).cpu_ratio for name, row in rows().items()}
    no_op = partial(run, [sys.executable, "-c", NO_OP, "--help"], check=True, capture_output=True)
    unit = statistics.median(milliseconds(no_op) for _ in range(15))
    times = figures(20, 100)
    return {
        name: round(ratio, 3)
        for name, ratio in (ratios | {name: times[name] / unit for name in INSIDE}).items()
    }


def main(arguments: list[str]) -> int:
    """Measure, and write or compare the figures."""
    if arguments[:1] == ["--write"]:
        FIGURES.write_text(json.dumps({"version": arguments[1], "ratios": measured()}, indent=1) + "\n")
        return 0
    before = json.loads(FIGURES.read_text())
    now = measured()
    slower = [name for name, ratio in now.items() if ratio > MARGIN * before["ratios"].get(name, ratio)]
    print(f"ratios of CPU times, {before['version']} and now")
    for name, ratio in now.items():
        earlier = before["ratios"].get(name)
        print(
            f"  {name:<50} {earlier if earlier else '-':>7} {ratio:>7} {'slower' if name in slower else ''}"
        )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
