"""No test fails because the machine is busy: none asserts how long something took, or waits for it a moment only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "thread_time"}
WAITS = {"communicate", "wait", "run", "result", "join", "check_output", "urlopen"}
LEAST_SECONDS = 60
MENTIONED = re.compile(
    rf"{'|'.join(CLOCKS)}|time\s*\.\s*time|timeout|Timer|(process|thread|child)\s*\.\s*(wait|join)"
)
"""Without any of these words, a file cannot do what is looked for."""


def reads_clock(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression has the time in it, read there or kept under one of the names."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in names:
            return True
        if isinstance(part, ast.Call):
            called = part.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            of_time = isinstance(called, ast.Attribute) and ast.unparse(called.value) == "time"
            if name in CLOCKS or (name == "time" and of_time):
                return True
    return False


def complaints(source: str) -> list[str]:
    """What a test file must not do, by line."""
    found: list[str] = []
    if not MENTIONED.search(source):
        return found
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        nodes = list(ast.walk(function))
        names: set[str] = set()
        clock = reads_clock(function, names)
        for _ in range(3 if clock else 0):  # a name may be made from another one
            for node in nodes:
                if isinstance(node, ast.Assign) and reads_clock(node.value, names):
                    names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in nodes:
            if (
                clock
                and isinstance(node, ast.Assert)
                and any(
                    reads_clock(part, names) for part in ast.walk(node.test) if isinstance(part, ast.Compare)
                )
            ):
                found.append(f"line {node.lineno}: asserts a difference of clocks")
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "threading.Timer":
                found.append(f"line {node.lineno}: acts after a time, however far a busy machine has got")
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in WAITS
            ):
                limits = [word.value for word in node.keywords if word.arg == "timeout"]
                if node.func.attr in ("wait", "join") and isinstance(node.func.value, ast.Name):
                    limits += node.args[:1] if node.func.value.id in ("process", "thread", "child") else []
                for limit in limits:
                    if isinstance(limit, ast.Constant) and 0 < limit.value < LEAST_SECONDS:
                        found.append(
                            f"line {node.lineno}: waits {limit.value} s, which a busy machine exceeds"
                        )
    return found


def test_no_test_depends_on_how_busy_the_machine_is():
    files = sorted(HERE.rglob("*.py"))
    assert len(files) > 300
    assert [
        f"{path.relative_to(HERE)}: {complaint}"
        for path in files
        for complaint in complaints(path.read_text(encoding="utf-8"))
    ] == [], "see tests/waiting.py"


@pytest.mark.parametrize(
    "body",
    [
        "assert time.monotonic() - begun < 5",
        "took = perf_counter() - begun\n    assert took < 5",
        "begun = time.time()\n    ended = begun + 3\n    assert ended > 4",
        "while True:\n        assert time.monotonic() < 3",
        "process.communicate(timeout=10)",
        "process.wait(20.0)",
        "future.result(timeout=5)",
        "threading.Timer(0.3, process.kill).start()",
    ],
)
def test_such_a_test_is_seen(body: str):
    assert complaints(f"def test_it():\n    {body}\n")
    assert not complaints("def test_it():\n    assert took_part < 5\n    process.communicate(timeout=120)\n")
