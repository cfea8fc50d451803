"""Parameters of fetches against what the catalogue lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.errors import closest
from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.walk import each_step, id_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path
from helio.sources.archives import CDAWEB, CDAWEB_FOLDERS

_CDAWEB = ("", CDAWEB, CDAWEB_FOLDERS)


def check_parameters(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of a parameter that the catalogue does not list for its data set.

    The files have the last word: the catalogue may be older, and does not list everything that is in them.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSE"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> known = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
    >>> [found] = check_parameters(plan, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(found)
    warning[HV501] step 1 (fetch_data): the catalogue lists no parameter 'BGSE' of AC_H2_MFI
      --> /steps/0/tool_args/parameter_id
      try did you mean 'BGSEc'?
    """
    if context.archive not in _CDAWEB:
        return
    for path, step in each_step(plan):
        signature = context.signatures.get(step.get("tool_name", ""))
        if signature is None or signature.gives != "tables":
            continue
        for place, dataset_id, name in _asked(step["tool_args"], archive=context.archive):
            known = context.catalogue.get(dataset_id.strip().upper())
            if known is None or not known.parameters or name in known.parameters:
                continue
            close = closest(name, known.parameters)
            yield Diagnostic(
                "HV501",
                f"the catalogue lists no parameter '{name}' of {dataset_id}",
                "warning",
                id_of(step),
                signature.name,
                pointer(*path, "tool_args", *place),
                (
                    f"did you mean {' or '.join(repr(one) for one in close)}?"
                    if close
                    else f"helio datasets parameters {dataset_id}",
                ),
                candidates=close,
            )


def _asked(args: Document, *, archive: str) -> Iterator[tuple[Path, str, str]]:
    """Each parameter of each data set of CDAWeb, with its place; what stands for another value is not known yet."""
    named = args.get("provider", "")
    wanted: list[tuple[Path, Any]] = [(("parameter_id",), args.get("parameter_id"))]
    several = args.get("parameters")
    if isinstance(several, list):
        wanted = [(("parameters", number), one) for number, one in enumerate(several)] or wanted
    found: list[tuple[Path, Any, Any, Any]] = []
    for number, one in enumerate(args.get("candidates") or ()):
        whole = one if isinstance(one, dict) else {"dataset_id": one}
        at: Path = ("candidates", number)
        own = whole.get("parameter_id")
        for place, name in [((*at, "parameter_id"), own)] if own else [(at, name) for _, name in wanted]:
            found.append((place, whole.get("dataset_id"), name, whole.get("provider", named)))
    if not args.get("candidates"):
        found = [(place, args.get("dataset_id"), name, named) for place, name in wanted]
    for place, dataset_id, name, provider in found:
        said = [one for one in (dataset_id, name) if isinstance(one, str) and one and not TOKEN.search(one)]
        if len(said) == 2 and (archive or provider in _CDAWEB):
            yield place, said[0], said[1]
