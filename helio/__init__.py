"""helio: deterministic pipelines for heliophysics.

>>> import helio
>>> run = helio.run("gle73-particles", archive="sample")       # doctest: +SKIP
>>> run.tables["proton_bands"].to_pandas()                     # doctest: +SKIP
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes longer than all of this, and comes before Ctrl-C is taken
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"
__all__ = ["__version__", "backfill", "chat", "check", "drift", "library", "load", "plan", "refresh", "run"]


def __getattr__(name: str) -> Any:
    # Imported when first asked for, so that `helio --help` loads neither numpy nor plotly.
    if name in __all__:
        from helio import api

        return getattr(api, name)
    raise AttributeError(f"module 'helio' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
