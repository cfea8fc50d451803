"""Check the code of a step against the list of allowed names, then run it in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from helio.errors import CodeRefused, StepError
from helio.steps.sandbox.allow_list import input_names, names_in_scope, refusals
from helio.steps.sandbox.exchange import Returned
from helio.steps.sandbox.jail import Jail
from helio.steps.tool import LabelledTable

_MOST_SHOWN = 5


def run_code(jail: Jail, code: str, sources: Sequence[LabelledTable] = ()) -> Returned:
    """Run the code of a step on its input tables, and return the resulting table.

    Parameters
    ----------
    jail : Jail
    code : str
    sources : sequence of LabelledTable
        In scope as ``df_NAME`` or ``da_NAME`` each, after the last part of its label; the first as ``df`` or ``da``.

    Raises
    ------
    CodeRefused
        The code uses something that the allow-list does not have; it was not run.
    StepError
        Two tables would have the same name.
    CodeFailed, BadResult, NoSandbox
        As the jail says.
    """
    names: dict[str, str] = {}
    for operand, name in zip(sources, names_in_scope(source.label for source in sources), strict=True):
        if name in names:
            raise StepError(
                f"'{names[name]}' and '{operand.label}' would both be df_{name} in the code",
                advice="change one of the two labels: the parts after the last point must differ",
            )
        names[name] = operand.label
    refused = refusals(code, input_names(names.values()))
    if refused:
        more = f"; and {len(refused) - _MOST_SHOWN} more" if len(refused) > _MOST_SHOWN else ""
        raise CodeRefused(
            "the code uses something that is not allowed: "
            f"{'; '.join(map(str, refused[:_MOST_SHOWN]))}{more}",
            advice="use only pandas, numpy and scipy.signal on the given tables; run `helio tools` to list "
            "tools that need no code",
        )
    return jail.run(code, [(name, source.table) for name, source in zip(names, sources, strict=True)])
