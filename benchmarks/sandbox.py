"""An operation in the jail against the bare call, and against an interpreter that is started for it.

    python benchmarks/sandbox.py

On a table of 86,400 × 3, a day at one second. All of one round are interleaved; ratios and differences are of medians
in one run (of the fastest calls in brackets, for a busy machine); milliseconds are for orientation. The warm parent
is started once, and its start is printed beside.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from helio.steps.compute.custom_operation import custom_operation
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Code
from helio.steps.tool import LabelledTable
from helio.store.table import Table

ROWS = 86_400
REPEATS = 15
OPERATIONS = {
    "magnitude": "result = np.sqrt((df ** 2).sum(axis=1)).to_frame('B')",
    "running mean": "result = df.rolling('10min').mean()",
    "one hour": "result = df.resample('1h').mean()",
}
# The least that a process of its own has to do: import, read, compute, write.
SPAWNED = """
import sys
import numpy as np, pandas as pd, pyarrow as pa
from scipy import signal
with pa.memory_map(sys.argv[1]) as file:
    df = pa.ipc.open_file(file).read_all().to_pandas().set_index("time")
exec(sys.argv[3])
table = pa.Table.from_pandas(result)
with pa.OSFile(sys.argv[2], "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
    writer.write_table(table)
"""


def main() -> None:
    """Measure and print."""
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(ROWS) * np.timedelta64(1, "s")
    table = Table(epoch, np.random.default_rng(1).normal(size=(ROWS, 3)), "nT", "B", "GSE", ("x", "y", "z"))
    frame = table.to_pandas().rename_axis("time")
    with Jail() as jail, tempfile.TemporaryDirectory() as name:
        begun = time.perf_counter()
        jail.parts()
        print(f"the warm parent is ready after {(time.perf_counter() - begun) * 1e3:.0f} ms, once in a run")
        given, taken = Path(name) / "in.arrow", Path(name) / "out.arrow"
        write(frame, given)
        for what, code in OPERATIONS.items():

            def bare(code: str = code) -> None:
                exec(code, {"df": frame.copy(), "np": np, "pd": pd})

            def jailed(code: str = code) -> None:
                custom_operation(jail, [LabelledTable("X.B", table)], pandas_code=Code(code))

            def spawned(code: str = code) -> None:
                subprocess.run([sys.executable, "-c", SPAWNED, str(given), str(taken), code], check=True)

            (alone, least), (shut_in, least_in), (started, _) = timed(bare, jailed, spawned)
            print(
                f"{what:14} bare {alone:6.1f} ms, jail {shut_in:6.1f} ms: {shut_in - alone:+5.1f} ms over it "
                f"({least_in - least:+5.1f}); started for it {started:6.0f} ms, {started / shut_in:.0f} × the jail"
            )


def write(frame: pd.DataFrame, path: Path) -> None:
    """A frame as an Arrow file."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame.reset_index(), preserve_index=False)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def timed(*calls: Callable[[], None]) -> list[tuple[float, float]]:
    """Milliseconds of each call, median and least, interleaved; the last, which is slow, a third as often."""
    seconds: list[list[float]] = [[] for _ in calls]
    for turn in range(REPEATS):
        for place, call in enumerate(calls):
            if place == len(calls) - 1 and turn % 3:
                continue
            begun = time.perf_counter()
            call()
            seconds[place].append(time.perf_counter() - begun)
    return [(statistics.median(one) * 1e3, min(one) * 1e3) for one in seconds]


if __name__ == "__main__":
    main()
