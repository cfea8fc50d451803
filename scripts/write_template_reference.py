"""Makes the pages of a template's keys and of a figure's keys from the JSON Schema; `make docs` writes them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from draw_key_pictures import FOLDER, Picture, pictures
from reference_text import definitions, markdown

from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE
from helio.pipelines.template_keys import keys
from helio.steps.schema_words import type_words
from helio.steps.signature import signatures

SPEC = "steps[].tool_args.spec"
FIGURE = """# Keys of a figure

These keys stand in `spec` of [render_spec](tools/render_spec.md), and as arguments of
[plot_data](tools/plot_data.md) and [style_plot](tools/style_plot.md). No key is required. Panels are counted from 1 at
the top. "By panel number" means an object such as `{"1": …, "2": …}`.

```json
{"labels": ["ACE_B", "ACE_Bmag"], "panels": [["ACE_B"], ["ACE_Bmag"]],
 "title": "ACE, {start} to {stop}", "y_label": {"1": "B GSE [nT]", "2": "|B| [nT]"}}
```

The pictures are drawn from the data that come with helio (`--archive sample`). Below each picture is the part of `spec`
that it explains. The labels in it are:

| Label | Table |
|---|---|
| `B`, `Bmag`, `power` | magnetic field at Parker Solar Probe, its magnitude, its power spectrum |
| `electrons`, `protons`, `means` | intensities at STEREO-A; 4-hour means of the protons |
| `intensity` | intensity of 18 MeV protons at SOHO |
| `energies` | electrons at Van Allen Probe A |
"""
TEMPLATE = """# Keys of a template

A template is one JSON object. `helio schema` prints its JSON Schema, from which editors complete keys, and
`helio check FILE.json` lists everything that is wrong in a file. [Tools](tools/index.md) explains the arguments of
steps.
"""


def pages() -> dict[str, str]:
    """Make the two pages, by path in the reference."""
    figure = signatures()["render_spec"].argument("spec")
    assert figure is not None
    parts = [_key(name, schema) for name, schema in figure.schema["properties"].items()]
    template = [TEMPLATE]
    for title, schema in (("Template", STRUCTURE), ("Step", STEP), ("Variable", VARIABLE)):
        template += [f"## {title}\n", _members(schema), ""]
    return {"figure.md": "\n".join([FIGURE, *parts]), "template.md": "\n".join(template)}


def _key(name: str, schema: Mapping[str, Any]) -> str:
    text = (
        f"## {name}\n\n{markdown(schema.get('description', ''))}\n\nValue: {markdown(type_words(schema))}.\n"
    )
    drawn = pictures().get(name)
    if drawn:
        text += f"\n::::{{container}} pictures\n{''.join(_picture(name, picture) for picture in drawn)}::::\n"
    else:
        example = next(key.example for key in keys()[name] if "render_spec" in key.places.get(SPEC, ()))
        text += f"\n{_json({name: example})}"
    return text + "".join(f"\n{_members(inner)}\n" for inner in _objects(schema))


def _picture(key: str, picture: Picture) -> str:
    shown = _json(picture.shown) if picture.shown else f"Without `{key}`\n"
    words = (
        f"A figure with {json.dumps(picture.shown, ensure_ascii=False)}"
        if picture.shown
        else f"A figure without {key}"
    )
    return f"""
:::{{container}} picture wrap
```{{image}} ../figures/{FOLDER.name}/{picture.path.name}
:alt: {words}
:width: {picture.spec["canvas_size"]["width"]}px
```

{shown}:::
"""


def _json(value: Mapping[str, Any]) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False)}\n```\n"


def _objects(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects with keys of their own that a value may have inside."""
    if "properties" in schema:
        yield schema
    for option in schema.get("anyOf", ()):
        yield from _objects(option)
    for below in ("items", "additionalProperties"):
        if isinstance(schema.get(below), Mapping):
            yield from _objects(schema[below])


def _members(schema: Mapping[str, Any]) -> str:
    entries = []
    for name, inner in schema["properties"].items():
        required = ", required" if name in schema.get("required", ()) else ""
        meaning = markdown(inner.get("description", ""))
        entries.append((f"`{name}` *{markdown(type_words(inner))}{required}*", meaning))
    return definitions(entries)
