"""What each output of a plan means: its signature, which safe edits leave as it is."""

from __future__ import annotations

from helio.pipelines.passes.edit import Context
from helio.pipelines.template import Document


def meaning(plan: Document, context: Context) -> dict[str, str]:
    """The signature of every output that a plan defines, by label."""
    del plan, context
    return {}
