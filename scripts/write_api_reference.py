"""Makes the pages of the Python API from what `helio.api` defines; `make docs` writes them and Sphinx fills them in."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import cell

from helio import api

INDEX = """# Python API

Import all functions from `helio.api`. Five of them are also in `helio`: `run`, `plan`, `check`, `load` and `library`.

```python
import helio

run = helio.run("psp-bfield", archive="sample")
run.tables["B_RTN"].to_pandas()  # a frame indexed by epoch
run.figure.document  # plotly's JSON
```

## Functions and what they return

| name | what it does |
|---|---|
{rows}

## Data and errors

| page | what it has |
|---|---|
| [Table](table.md) | a table of a step: epochs, values, unit, frame, components |
| [Time ranges](time_range.md) | `TimeRange`, `Duration` and the functions that read them |
| [Errors](errors.md) | all errors of helio, as a tree |
| [Stand-ins](testing.md) | servers on the loopback address, for tests of sources |

```{{toctree}}
:hidden:

{listing}
table
time_range
errors
testing
```
"""
MODULES = {
    "table.md": ("Table", "autoclass", "helio.store.table.Table", ":members:"),
    "time_range.md": ("Time ranges", "automodule", "helio.time_range", ":members:"),
    "errors.md": ("Errors", "automodule", "helio.errors", ":members:\n   :member-order: bysource"),
    "testing.md": ("Stand-ins", "automodule", "helio.testing", ""),
}


def pages() -> dict[str, str]:
    """Make a page for each public function and class of `helio.api`, and an index, by path in the reference."""
    members = {
        name: member
        for name, member in vars(api).items()
        if not name.startswith("_") and getattr(member, "__module__", "") == api.__name__
    }
    rows = "\n".join(
        f"| [{name}]({name}.md) | {cell((inspect.getdoc(member) or '').partition(chr(10))[0])} |"
        for name, member in members.items()
    )
    made = {"api/index.md": INDEX.format(rows=rows, listing="\n".join(members))}
    for name, member in members.items():
        directive = "autoclass" if inspect.isclass(member) else "autofunction"
        made[f"api/{name}.md"] = _page(name, directive, f"helio.api.{name}", "")
    return made | {f"api/{path}": _page(*parts) for path, parts in MODULES.items()}


def _page(title: str, directive: str, name: str, options: str) -> str:
    more = f"   {options}\n" if options else ""
    return f"# {title}\n\n```{{eval-rst}}\n.. {directive}:: {name}\n{more}```\n"
