"""Compare what helio costs now with the figures of the last release; end with exit code 1 if something is slower.

    python -m benchmarks.compare                    # compare with benchmarks/figures.json
    python -m benchmarks.compare --write VERSION    # measure, and write that file for a release

All figures are ratios of CPU times in one run, so that they hold on another machine: a command to its peer in
`processes.py`, and work inside one process in `repeated_runs.py` to the writing of numbers as JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from benchmarks.processes import measure, rows
from benchmarks.repeated_runs import figures, milliseconds

FIGURES = Path(__file__).with_name("figures.json")
MARGIN = 1.25
"""How many times its figure of the last release a ratio may be; a busy machine moves ratios by a tenth."""
MARGIN_INSIDE = 2.0
"""The same for work inside one process, which has no peer that runs in turn with it."""
INSIDE = ("a cached day", "a step to plan", "a step made", "a step cached")


def measured() -> dict[str, float]:
    """Measure all ratios, by name."""
    ratios = {name: measure(row).cpu_ratio for name, row in rows().items()} | inside()
    return {name: round(ratio, 3) for name, ratio in ratios.items()}


def inside() -> dict[str, float]:
    """Measure work inside this process, as ratios to the writing of 100,000 numbers as indented JSON."""
    before = _unit()
    times = figures(20, 100)
    unit = (before + _unit()) / 2
    return {name: times[name] / unit for name in INSIDE}


def _unit() -> float:
    return statistics.median(
        milliseconds(lambda: json.dumps(list(range(100_000)), indent=1)) for _ in range(15)
    )


def main(arguments: list[str]) -> int:
    """Measure, and write or compare the figures."""
    if arguments[:1] == ["--write"]:
        FIGURES.write_text(json.dumps({"version": arguments[1], "ratios": measured()}, indent=1) + "\n")
        return 0
    before = json.loads(FIGURES.read_text())
    now = measured()
    slower = [
        name
        for name, ratio in now.items()
        if ratio > (MARGIN_INSIDE if name in INSIDE else MARGIN) * before["ratios"].get(name, ratio)
    ]
    print(f"ratios of CPU times, {before['version']} and now")
    for name, ratio in now.items():
        earlier = before["ratios"].get(name)
        print(
            f"  {name:<50} {earlier if earlier else '-':>7} {ratio:>7} {'slower' if name in slower else ''}"
        )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
