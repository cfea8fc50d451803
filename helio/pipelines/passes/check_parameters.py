"""Check that the catalogue knows the parameters of fetches.

HV501 (warning)  a parameter that the catalogue does not list for its dataset
    The files may still have it, because the catalogue may be outdated or incomplete.
    before  BGSE of AC_H2_MFI
    after   warned, with the closest name; HE402 for an author
    to do   Check the name with `helio datasets parameters DATASET`; `helio catalog refresh` renews an old
            catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.passes.catalogued_fetches import catalogue_requests
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.template import Template


def check_parameters(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of a parameter that the catalogue does not list for the parameter's dataset.

    The files decide: the catalogue may be older, and does not list everything that is in them.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSE"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> known = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
    >>> [found] = check_parameters(template, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(found)
    warning[HV501] step 1 (fetch_data): the catalogue lists no parameter 'BGSE' for AC_H2_MFI
      --> /steps/0/tool_args/parameter_id
      help: did you mean 'BGSEc'?
    """
    for request in catalogue_requests(template, context):
        known = context.catalogue.get(request.dataset.value.strip().upper())
        if request.parameter is None or known is None or not known.parameters:
            continue
        dataset_id, name = request.dataset.value, request.parameter.value
        if name in known.parameters:
            continue
        close = closest(name, known.parameters)
        yield Diagnostic(
            "HV501",
            f"the catalogue lists no parameter '{name}' for {dataset_id}",
            "warning",
            request.step.step_id,
            str(request.step.tool_name),
            pointer(*request.parameter.path),
            (
                f"did you mean {' or '.join(repr(name) for name in close)}?"
                if close
                else f"run `helio datasets parameters {dataset_id}` to list its parameters",
            ),
            candidates=close,
        )
