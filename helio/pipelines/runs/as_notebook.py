"""Write a notebook with the tables and figures of a run, which needs pandas and plotly but not helio."""

from __future__ import annotations

import json
import keyword
import pprint
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helio.errors import RequestError
from helio.pipelines.runs.kept_tables import kept_labels, kept_table
from helio.steps.export.names import Names, one_line, plain_name
from helio.steps.export.write_parquet import write_parquet
from helio.store.files import json_bytes, write_whole
from helio.store.runs import RunRecord
from helio.store.store import Store
from helio.store.table import Table

ENDING = ".ipynb"
_IMPORTS = """from pathlib import Path

import pandas as pd
import plotly.io as pio

folder = Path({folder!r})"""
_TABLE = """{name} = pd.read_parquet(folder / {file!r}).set_index("epoch")
{name}.attrs = {attrs}
{name}"""
_FIGURE = """{name} = pio.read_json(folder / {file!r})
{name}"""


def write_notebook(record: RunRecord, store: Store, file: Path) -> Path:
    """Write a notebook, and next to it a folder with the tables of the run as Parquet and its figures as JSON.

    Returns
    -------
    Path
        The folder: ``field_files`` for ``field.ipynb``.

    Raises
    ------
    RequestError
        The file's name does not end in ``.ipynb``, the file or the folder exists, or the run made nothing.
    DamagedObject
        The store no longer has a table or a figure.
    StepError
        A table has no bins.
    """
    folder = file.with_name(f"{file.stem}_files")
    if file.suffix != ENDING:
        raise RequestError(f"{file} is not the name of a notebook", advice=f"end the name with {ENDING}")
    for path in (file, folder):
        if path.exists():
            raise RequestError(
                f"{path} exists already", advice="choose another name: a notebook may contain your own work"
            )
    tables = {label: kept_table(record, label, store) for label in kept_labels(record)}
    figures = {
        str(step["step_id"]): store.bytes(output["digest"], output["suffix"])
        for step in record.step_records
        for output in step["outputs"]
        if not output["label"] and "filename" not in output
    }
    if not tables and not figures:
        raise RequestError(
            f"run '{record.id}' made no table and no figure",
            advice=f"look at its steps: `helio runs show {record.id}`",
        )
    contents: dict[str, bytes] = {}
    names = Names(["folder", "Path", "pd", "pio", *keyword.kwlist])
    cells = [_text(_about(record)), _code(_IMPORTS.format(folder=folder.name))]
    for label, table in tables.items():
        name = names.take(plain_name(label))
        contents[f"{name}.parquet"] = write_parquet({label: table})
        attrs = pprint.pformat(_attributes(table), sort_dicts=False, width=100)
        cells += [
            _text(f"## Table {_markdown(label)}"),
            _code(_TABLE.format(name=name, file=f"{name}.parquet", attrs=attrs)),
        ]
    for step_id, content in figures.items():
        name = names.take(plain_name(f"figure_{step_id}"))
        contents[f"{name}.json"] = content
        cells += [
            _text(
                f"## Figure {_markdown(step_id)}\n\nThis is the figure of the run. It does not follow the tables."
            ),
            _code(_FIGURE.format(name=name, file=f"{name}.json")),
        ]
    for file_name, content in contents.items():
        write_whole(folder / file_name, content)
    write_whole(file, json_bytes(_notebook(cells)))
    return folder


def _notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a notebook in version 4.5 of Jupyter's format."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, 1)],
    }


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def _about(record: RunRecord) -> str:
    return "\n".join(_about_lines(record))


def _about_lines(record: RunRecord) -> Iterator[str]:
    header = record.whole_header
    yield f"# {_markdown(header['pipeline'])}"
    yield ""
    yield (
        f"Results of the run {_markdown(record.id)} of helio, which ended with {_markdown(record.status)}. "
        "This notebook needs pandas, pyarrow, plotly and nbformat, but not helio."
    )
    yield ""
    yield from (
        f"- {_markdown(name)}: {_markdown(json.dumps(value, ensure_ascii=False))}"
        for name, value in header["values"].items()
    )
    yield from (
        f"- {_markdown(name)} {_markdown(version)}" for name, version in header["environment"].items()
    )
    yield from (
        f"- Data: {_markdown(', '.join(str(cited[key]) for key in ('dataset_id', 'title', 'doi') if cited.get(key)))}"
        for cited in header.get("citations", [])
    )


def _attributes(table: Table) -> dict[str, Any]:
    """Return the metadata of a table that are known, as plain texts."""
    facts = {
        "unit": table.unit,
        "frame": table.frame,
        "name": table.name,
        "description": table.description,
        "axes": [{"label": axis.label, "unit": axis.unit} for axis in table.axes],
        "sources": [source.in_words() for source in table.sources],
        "notes": list(table.notes),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _markdown(text: object) -> str:
    """Write a text on one line of Markdown, without any meaning for Markdown, HTML or formulas."""
    return re.sub(r"([\\`*_\[\]#|$~<>&!])", r"\\\1", one_line(str(text)))
