"""Measure how fast helio refuses a template that is too large, and how fast it takes the largest that it allows.

Run ``python benchmarks/limits.py [PART OF A NAME …]``. Each case is a file, made in a temporary folder, and one command
in a process of its own; a line says its processor time, its largest memory, its exit code and what it printed first.
Nothing is fetched. A command is ended after half a minute.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LONGEST_WAIT = 30.0
"""Seconds after which a command is ended."""

Step = dict[str, Any]


def fetch(step_id: int | str, **more: Any) -> Step:
    """A step that fetches."""
    args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2024-05-10"}
    return {"step_id": step_id, "tool_name": "fetch_data", "tool_args": args, **more}


def draw(step_id: int | str, **more: Any) -> Step:
    """A figure of the table of `fetch`, if it says nothing else."""
    return {
        "step_id": step_id,
        "tool_name": "render_spec",
        "tool_args": {"spec": {"labels": ["AC_H2_MFI.BGSEc"], **more}},
    }


def template(*steps: Step, **more: Any) -> bytes:
    """The text of a template."""
    return json.dumps({"id": "large", **more, "steps": list(steps)}).encode()


def mapped(items: Any, **more: Any) -> Step:
    """A fetch for each item."""
    args = {
        "dataset_id": "AC_H2_MFI",
        "parameter_id": "BGSEc",
        "time_range": "2024-05-10",
        "output_label": "B.$X",
    }
    return {
        "step_id": 1,
        "tool_name": "fetch_data",
        "tool_args": args,
        "for_each": {"as": "$X", "over": items},
        **more,
    }


def over_intervals(length: str, stop: str) -> Step:
    """A fetch for each interval."""
    step = mapped({"intervals": f"2024-05-10T00:00:00 to {stop}", "step": length})
    step["tool_args"]["time_range"] = "$X"
    step["on_item_error"] = "keep_partial"
    return step


def nested_maps(levels: int, items: int) -> Step:
    """Maps in maps, of so many items each."""
    step: Step = {
        "step_id": "get",
        "tool_name": "fetch_data",
        "tool_args": {
            "dataset_id": "AC_H2_MFI",
            "parameter_id": "BGSEc",
            "time_range": "2024",
            "output_label": "B." + ".".join(f"$X{level}" for level in range(levels)),
        },
    }
    for level in range(levels):
        step = {
            "step_id": f"m{level}",
            "block": [step],
            "for_each": {"as": f"$X{level}", "over": list(range(items))},
        }
    return step


def converted(unit: str) -> bytes:
    """A template that converts a table into a unit."""
    args = {"source_label": "AC_H2_MFI.BGSEc", "to": unit, "output_label": "C"}
    return template(fetch(1), {"step_id": 2, "tool_name": "convert_units", "tool_args": args})


def code(text: str) -> bytes:
    """A template with code."""
    args = {"source_labels": ["AC_H2_MFI.BGSEc"], "pandas_code": text, "output_label": "C"}
    return template(fetch(1), {"step_id": 2, "tool_name": "custom_operation", "tool_args": args})


def steps(count: int) -> bytes:
    """Different fetches, one figure."""
    many = [fetch(number) for number in range(1, count + 1)]
    for number, step in enumerate(many):
        step["tool_args"] = step["tool_args"] | {"output_label": f"B{number}"}
    return template(*many, draw(count + 1, labels=["B1"]))


def equal_steps(count: int) -> bytes:
    """The same fetch many times."""
    return template(*(fetch(number) for number in range(1, count + 1)), draw(count + 1))


def chain(count: int) -> bytes:
    """A chain of computations, each on the one before."""
    many = [fetch(0)]
    for number in range(1, count):
        args = {
            "source_label": "AC_H2_MFI.BGSEc" if number == 1 else f"A{number - 1}",
            "window": "5min",
            "output_label": f"A{number}",
        }
        many.append({"step_id": number, "tool_name": "running_average", "tool_args": args})
    return template(*many, draw(count, labels=[f"A{count - 1}"]))


LINES = [{"x": "2024-05-10T12:00:00"}]

CASES: dict[str, Callable[[], bytes]] = {
    "500 different steps": lambda: steps(499),
    "1,000 different steps": lambda: steps(999),
    "1,001 different steps": lambda: steps(1000),
    "1,000 equal steps": lambda: equal_steps(999),
    "a chain of 999 computations": lambda: chain(999),
    "5,000 different steps": lambda: steps(4999),
    "a chain of 4,999 computations": lambda: chain(4999),
    "10,000 steps": lambda: steps(9_999),
    "200,000 empty steps": lambda: template(*({} for _ in range(200_000))),
    "a map of 366 items": lambda: template(mapped(list(range(366))), draw(2, labels=["B*"])),
    "a map of 1,000 items": lambda: template(mapped(list(range(1000))), draw(2, labels=["B*"])),
    "a map of 1,001 items": lambda: template(mapped(list(range(1001))), draw(2, labels=["B*"])),
    "a map of 20,000 items": lambda: template(mapped(list(range(20_000))), draw(2, labels=["B*"])),
    "maps in maps, 30 x 30": lambda: template(nested_maps(2, 30), draw(2, labels=["B*"])),
    "maps in maps, 100 x 100 x 100": lambda: template(nested_maps(3, 100)),
    "maps in maps, 6 levels of 1,000": lambda: template(nested_maps(6, 1000)),
    "plan: 366 daily items": lambda: template(
        over_intervals("1d", "2025-05-11T00:00:00"), draw(2, labels=["B*"])
    ),
    "plan: intervals of 1 ns in 1 us": lambda: template(over_intervals("1ns", "2024-05-10T00:00:00.000001")),
    "plan: intervals of 1 ns in a year": lambda: template(over_intervals("1ns", "2025-05-10T00:00:00")),
    "50 MB of JSON": lambda: template(fetch(1), draw(2), annotations={"x": ["y" * 40] * 1_100_000}),
    "50 MB of one text": lambda: template(fetch(1), draw(2), description="y" * 50_000_000),
    "50 MB of brackets": lambda: b"[" * 50_000_000,
    "brackets, nested 1,000,000": lambda: b"[" * 1_000_000 + b"]" * 1_000_000,
    "objects, nested 10,000": lambda: b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "1 MB of trailing commas": lambda: b'{"steps": [' + b"1,\n" * 300_000 + b"]}",
    "1 MB of prose with braces": lambda: b'So: { "a' * 120_000,
    "1 MB of fences": lambda: b"```\n[1\n" * 150_000,
    "100,000 vertical lines": lambda: template(fetch(1), draw(2, vlines=LINES * 100_000)),
    "100,000 labels": lambda: template(fetch(1), draw(2, labels=[f"L{n}" for n in range(100_000)])),
    "a unit of 50,000 factors": lambda: converted(" ".join(["km s^-1"] * 25_000)),
    "a unit of 50,000 brackets": lambda: converted("(" * 50_000 + "m" + ")" * 50_000),
    "a unit to the power of 10^4000": lambda: converted("m^" + "9" * 4000),
    "code in 10,000 brackets": lambda: code("result = " + "(" * 9_000 + "df" + ")" * 9_000),
    "code with a tower of powers": lambda: code("result = df * 9**9**9**9"),
    "code with a number of 5,000 digits": lambda: code("result = df * " + "9" * 5_000),
    "a number of 100,000 digits": lambda: template(fetch(1), draw(2), annotations=10**4000 * 7),
    "a time range of 1 MB": lambda: template(fetch(1, tool_args={"time_range": "2024 " * 200_000})),
    "a label of 1 MB of stars": lambda: template(fetch(1), draw(2, labels=["*a" * 500_000])),
    "a variable of 10 MB": lambda: template(
        fetch(1), draw(2), variables={"$X": {"type": "string", "default": "y" * 10_000_000}}
    ),
    "10,000 variables": lambda: template(
        fetch(1), draw(2), variables={f"$X{n}": {"type": "string", "default": "y"} for n in range(10_000)}
    ),
    "1,000 unknown arguments": lambda: template(
        fetch(1, tool_args={f"a{n}": n for n in range(1000)}), draw(2)
    ),
    "a gzip of 1 GB": lambda: gzip.compress(b"[" * 10_000_000) * 100,
}


def measured(command: list[str], environment: dict[str, str]) -> Iterator[str]:
    """What one command took, and what it said first."""
    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
        )
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            late = time.monotonic() - began > LONGEST_WAIT
            if pid or late:
                break
            time.sleep(0.005)
        if not pid:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        yield f"{'>' if late else ' '}{usage.ru_utime + usage.ru_stime:6.2f} s"
        yield f"{usage.ru_maxrss / 1024:6.0f} MB"
        yield f"{process.returncode:>4}"
        output.seek(0)
        yield output.read(10_000).decode(errors="replace").split("\n")[0][:100]


def main(wanted: list[str]) -> None:
    """Measure the cases whose names hold one of the words, else all of them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"HELIO_HOME": str(Path(folder, "home"))}
        for name in CASES:
            if wanted and not any(word in name for word in wanted):
                continue
            path = Path(folder, "large.json")
            # in a process of its own: a child starts with the memory of its parent
            subprocess.run([sys.executable, __file__, "--make", name, str(path)], check=True)
            words = "plan" if name.startswith("plan: ") else "check"
            print(
                f"{name:<38}",
                *measured([sys.executable, "-m", "helio", words, str(path)], environment),
                flush=True,
            )
        if not wanted:
            path = Path("/dev/zero")
            print(
                f"{'/dev/zero':<38}",
                *measured([sys.executable, "-m", "helio", "check", str(path)], environment),
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        Path(sys.argv[3]).write_bytes(CASES[sys.argv[2]]())
    else:
        main(sys.argv[1:])
