"""Imports go one way, and each outside library has one home."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import helio

ROOT = Path(helio.__file__).parent
LAYERS = (
    ("clock", "limits", "patterns"),
    ("errors", "counts", "settings", "time_range", "interrupts", "pictures"),
    ("interval", "notebook"),
    ("store",),
    ("sources",),
    ("knowledge",),
    ("steps",),
    ("pipelines",),
    ("flows", "authoring"),
    ("service",),
    ("api", "doctor", "dev"),
    ("web", "mcp_server"),
    ("cli",),
    ("testing",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
HOMES = {
    "apprise": "service",
    "prefect": "flows",
    "google": "authoring/models/gemini",
    "openai": "authoring/models/openai_client",
    "anthropic": "authoring/models/anthropic_client",
    "typer": "cli",
    "plotly": "steps/render",
    "kaleido": "steps/render",
    "jinja2": "web",
    "markupsafe": "web",
    "uvicorn": "web",
    "mcp": "mcp_server",
    "mcp_types": "mcp_server",
    "PIL": "pictures",
    "pypdf": "authoring/documents/pdf_text",
}
SOURCES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py") or path.parent != ROOT
)


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Every absolute module name that a file imports, wherever the statement stands."""
    found: list[str] = []
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        waiting += [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)]
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            module = node.module or ""
            found += [f"{module}.{alias.name}" for alias in node.names] if module == "helio" else [module]
    return tuple(found)


def allowed(room: str, name: str) -> bool:
    """Whether a file of a room may import a module."""
    parts = name.split(".")
    if parts[0] != "helio" or len(parts) < 2 or parts[1] == "__version__":
        return True
    if RANK[parts[1]] == RANK[room] and len(LAYERS[RANK[room]]) > 1:
        return parts[1] in (room, "errors")
    return RANK[parts[1]] <= RANK[room]


def test_a_file_imports_only_what_stands_below_it():
    assert len(SOURCES) > 300
    assert [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in SOURCES
        for name in imported(path)
        if not allowed(path.relative_to(ROOT).parts[0].removesuffix(".py"), name)
    ] == []


def test_an_outside_library_is_imported_in_its_home_only():
    assert [
        f"{path.relative_to(ROOT)} imports {name}, whose home is {home}"
        for path in SOURCES
        for name in imported(path)
        for home in [HOMES.get(name.split(".")[0])]
        if home is not None and not str(path.relative_to(ROOT)).startswith(home)
    ] == []


def test_every_room_of_the_package_has_its_layer():
    rooms = {path.name.removesuffix(".py") for path in ROOT.iterdir() if not path.name.startswith("_")}
    assert rooms - {"py.typed"} <= set(RANK)


def test_the_command_starts_without_the_heavy_libraries():
    heavy = ("prefect", "pandas", "numpy", "plotly", "google", "pyarrow", "jsonschema", "cdflib", "rich")
    code = f"import helio.cli, sys; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_nothing_of_the_product_imports_the_stand_ins():
    importers = {
        str(path.relative_to(ROOT))
        for path in (*SOURCES, ROOT / "__init__.py", ROOT / "__main__.py")
        if any(name.startswith("helio.testing") for name in imported(path))
    }
    assert {where.split("/")[0] for where in importers} == {"testing"}


def test_the_stand_ins_are_imported_without_the_heavy_libraries():
    heavy = (
        "prefect",
        "pandas",
        "numpy",
        "pyarrow",
        "cdflib",
        "pycdfpp",
        "netCDF4",
        "cryptography",
        "httpx2",
    )
    code = f"import helio.testing, sys; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


FLOORS = {
    "pipelines": (
        ("codes", "template", "templates"),
        ("dialect", "history", "known", "template_keys"),
        ("analyses", "arguments", "reference"),
        ("blame", "library", "passes"),
        ("mend", "normal_forms", "reach"),
        ("plan",),
        ("changes", "reread"),
        ("review_lines",),
        ("runs",),
    ),
    "pipelines/runs": (
        ("basis",),
        (
            "call",
            "data_quality",
            "earlier_runs",
            "figure_details",
            "folder",
            "intervals",
            "kept_tables",
            "listing",
            "recipes",
            "replies",
            "request",
            "states",
            "table_difference",
            "worker_pool",
        ),
        (
            "as_notebook",
            "as_template",
            "compare",
            "execute",
            "known_runs",
            "latency",
            "why",
            "worker_process",
        ),
        ("artefacts", "locking"),
        ("bundle", "provenance", "record", "saved_plan"),
        ("outcome", "prepare"),
        ("session",),
        ("foresee", "rerun", "verify"),
    ),
}
"""The files and folders of a room from the ground up: each imports only lower floors."""


@pytest.mark.parametrize("room", FLOORS)
def test_every_part_of_a_room_has_its_floor(room: str):
    named = [name for floor in FLOORS[room] for name in floor]
    assert sorted(named) == sorted(
        path.stem for path in (ROOT / room).iterdir() if not path.name.startswith("_")
    )


@pytest.mark.parametrize("room", FLOORS)
def test_a_part_of_a_room_imports_only_lower_floors(room: str):
    package = f"helio.{room.replace('/', '.')}"
    floor_of = {name: number for number, floor in enumerate(FLOORS[room]) for name in floor}
    for path in (ROOT / room).rglob("*.py"):
        part = path.relative_to(ROOT / room).parts[0].removesuffix(".py")
        for name in imported(path):
            if name == package or name.startswith(f"{package}."):
                assert name != package, f"{path.stem} imports the room {package}, not one of its files"
                below = name.removeprefix(f"{package}.").split(".")[0]
                if below != part:
                    assert floor_of[below] < floor_of[part], f"{path.stem} imports {below}"
