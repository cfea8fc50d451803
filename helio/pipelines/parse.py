"""P: whatever an author wrote, text or JSON, as a template."""

from __future__ import annotations

from typing import Any

from helio.pipelines.diagnostics import InvalidTemplate
from helio.pipelines.runner import Rewritten
from helio.pipelines.template import check_shape, read_template


def parse(source: Any) -> Rewritten:
    """The template that a text or a JSON value is, with the edits that made it one.

    Its plan is an empty object where there is none.
    """
    if isinstance(source, str):
        try:
            return Rewritten(read_template(source), (), ())
        except InvalidTemplate as error:
            return Rewritten({}, (), error.diagnostics)
    found = check_shape(source)
    return Rewritten({}, (), (found,)) if found else Rewritten(source, (), ())
