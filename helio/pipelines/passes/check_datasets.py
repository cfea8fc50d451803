"""Check that the catalogue knows the datasets of fetches.

HV502 (warning)  a dataset that the catalogue does not know, where CDAWeb would be asked
    CDAWeb may still have it, because helio's catalogue may be older. Data in a folder (--archive) are not checked.
    before  AC_H2_MIF
    after   warned, with the closest name; HS101 in a run for which no provider was given
    to do   Check the id with `helio datasets search`; `helio catalog refresh` renews an old catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.passes.catalogued_fetches import catalogue_requests
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import Path
from helio.sources.registry import known_datasets

MOST_COMPARED = 20
"""Maximum number of unknown ids for which helio searches similar ids."""


def check_datasets(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of a dataset that the catalogue does not know, if CDAWeb would be the provider of its data.

    CDAWeb decides: the catalogue may be older. A run with an archive of its own does not ask CDAWeb.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MIF", "parameter_id": "BGSEc"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> known = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
    >>> [found] = check_datasets(template, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(found)
    warning[HV502] step 1 (fetch_data): the catalogue has no dataset 'AC_H2_MIF'
      --> /steps/0/tool_args/dataset_id
      help: did you mean 'AC_H2_MFI'?
    """
    reported: set[tuple[Path, str]] = set()
    for request in catalogue_requests(template, context):
        dataset_id, path = request.dataset.value, request.dataset.path
        if dataset_id.strip().upper() in context.catalogue or (path, dataset_id) in reported:
            continue
        if not context.catalogue:
            return
        reported.add((path, dataset_id))
        # each comparison with the whole catalogue takes its time
        close = closest(dataset_id, context.catalogue) if len(reported) <= MOST_COMPARED else ()
        source = known_datasets().get(dataset_id, "")
        if source and not request.named:
            advice = f'set "provider": "{source}" in the step'
        elif close:
            advice = f"did you mean {' or '.join(map(repr, close))}?"
        else:
            advice = "use --archive DIR for your own data, or search with `helio datasets search WORDS`"
        yield Diagnostic(
            "HV502",
            f"the catalogue has no dataset '{dataset_id}'",
            "warning",
            request.step.step_id,
            str(request.step.tool_name),
            pointer(*path),
            (advice,),
            candidates=close,
        )
