"""Makes the page of the reference pipelines from their templates; `make docs` writes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from draw_pipeline_pictures import PIPELINES, picture_of, real
from reference_text import cell, markdown

from helio.pipelines.library import SHIPPED
from helio.pipelines.template.template import Step, Template
from helio.steps.fetch.choices import choices_of

HEAD = """# Reference pipelines

These pipelines come with helio. `helio list` lists all pipelines, `helio show NAME` the steps of one, and
`helio copy NAME` makes a copy that you can edit. The pictures are small; those in the browser can be zoomed.
"""
MADE = "Made-up data of the right shape, not measured; from helio's tests."
REAL = "Measured data of {}."


def pages() -> dict[str, str]:
    """Make the page, by its path in the reference."""
    documents = [json.loads((SHIPPED / f"{name}.json").read_text(encoding="utf-8")) for name in PIPELINES]
    return {"pipelines.md": "\n".join([HEAD, *(_section(document) for document in documents)])}


def _section(document: dict[str, Any]) -> str:
    template = Template.from_json(document)
    [figure] = [step for step in template.steps if step.tool_name == "render_spec"]
    name, range_of = document["id"], real()
    shown = REAL.format(range_of[name]) if name in range_of else MADE
    rows = [
        f"## {name}\n",
        f"{markdown(document['description'])}\n",
        f":::{{figure}} ../figures/pipelines/{picture_of(name).name}",
        f":alt: {document['name']}\n",
        f"{markdown(f'{shown} From the top: {_first_small(figure.intent)}.')}",
        ":::\n",
        f"```sh\nhelio run {name} --time-range '{document['variables']['$TIME_RANGE']['default']}'\n```\n",
        "| Dataset | Parameters |\n|---|---|",
        *_datasets(template.steps),
        "\n| Variable | Default | Meaning |\n|---|---|---|",
        *(_variable(variable, facts) for variable, facts in document["variables"].items()),
    ]
    return "\n".join(rows) + "\n"


def _datasets(steps: tuple[Step, ...]) -> Iterator[str]:
    """Write a row for each dataset, with all parameters that the steps fetch from it."""
    parameters: dict[str, list[str]] = {}
    for step in steps:
        for choice in choices_of(step.tool_args) if step.tool_name == "fetch_data" else ():
            parameters.setdefault(choice.dataset_id, []).extend(choice.parameters)
    for dataset, names in parameters.items():
        yield f"| `{dataset}` | {', '.join(f'`{name}`' for name in dict.fromkeys(names))} |"


def _variable(name: str, facts: dict[str, Any]) -> str:
    meaning = facts.get("description", "Time range of the figure.")
    return f"| `{name}` | `{facts['default']}` | {cell(meaning)} |"


def _first_small(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
