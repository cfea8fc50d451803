"""What finding data costs: looking up a dataset and asking the search, against an interpreter that does nothing.

    python benchmarks/catalogue.py

"cold" is a new interpreter that imports what it needs and does it once, "warm" the same again in one process. Times are
medians of interleaved repeats: read the ratios.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from helio.knowledge.catalogue import SHIPPED, Catalogue
from helio.knowledge.search import Search

REPEATS = 9
QUESTION = "solar wind magnetic field ACE 1 min"
COLD = {
    "nothing": "pass",
    "import json": "import json",
    "look up a dataset": (
        "from helio.knowledge.catalogue import Catalogue; Catalogue().dataset('MMS1_FPI_BRST_L2_DIS-MOMS')"
    ),
    "all missions": "from helio.knowledge.catalogue import Catalogue; Catalogue().missions()",
    "ask the search": (
        "from helio.knowledge.catalogue import Catalogue; from helio.knowledge.search import Search; "
        f"Search(Catalogue()).find({QUESTION!r})"
    ),
}


def medians(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each action, the actions taken in turn."""
    taken: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(REPEATS):
        for name, action in actions.items():
            start = time.perf_counter()
            action()
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(times) for name, times in taken.items()}


def report(title: str, times: dict[str, float], against: str) -> None:
    print(f"\n{title}")
    for name, one in times.items():
        print(f"  {name:<42} {one:10.3f} ms {one / times[against]:9.2f} ×")


def main() -> None:
    def interpreter(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    report("cold", medians({name: interpreter(code) for name, code in COLD.items()}), "import json")

    ready = Catalogue()
    ready.dataset("AC_H0_MFI")
    search = Search(ready)
    search.find(QUESTION)
    rows = ready.file.text("datasets")
    warm: dict[str, Callable[[], object]] = {
        "json.loads of the table of datasets": lambda: json.loads(rows),
        "open the file and look up a dataset": lambda: Catalogue().dataset("MMS1_FPI_BRST_L2_DIS-MOMS"),
        "look up another dataset": lambda: ready.dataset("MMS1_FPI_BRST_L2_DIS-MOMS"),
        "first question": lambda: Search(Catalogue()).find(QUESTION),
        "next question": lambda: search.find(QUESTION),
        "question to all missions": lambda: search.find("magnetic field"),
    }
    report("warm", medians(warm), "json.loads of the table of datasets")
    print(f"\n{len(ready)} datasets in {SHIPPED.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
