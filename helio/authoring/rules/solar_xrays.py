"""Write pipelines for solar X-rays and flares, whose data NOAA's NCEI has and the catalogue has not."""

from __future__ import annotations

import re
from datetime import datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.named_times import with_plain_times
from helio.authoring.rules.saved_files import take_files
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.steps import Steps
from helio.authoring.writing.writer import FILE_ENDINGS, default_range
from helio.pipelines.template.document import Document
from helio.sources.registry import datasets_known_to
from helio.time_range import parse_time_range

_PROVIDER = "ncei"
_DATASET = re.compile(r"SCI_XRSF-L2-AVG1M_G(\d\d)")
_GOES = r"\bGOES[- ]?(?P<number>\d{1,2})?(?!\d)"
_XRAYS = (
    r"\b(?:(?:soft|solar)\s+)*(?:XRS|X-?\s?rays?)\b"
    r"(?:\s+(?:sensor|flux(?:es)?|irradiance|light\s*curves?|channels?))*"
)
_FLARES = r"\b(?:solar\s+)?(?:X-?\s?ray\s+)?flares?\b(?:\s+peaks?)?"
_LISTED = r"\b(?:list|table|catalog(?:ue)?|times?)(?:\s+of)?\b"
_LEAST = (
    r"(?:\b(?:above|over|of|from|stronger\s+than|larger\s+than|greater\s+than|at\s+least|class)\s+|>=?|≥)*\s*"
    r"(?-i:(?P<class>[ABCMX])\s?(?P<size>\d(?:\.\d)?)?)(?:[- ]class)?"
    r"(?:\s*(?:or|and)\s+(?:more|above|larger|stronger|greater|up))?"
)
_CLASSES = {"A": 1e-8, "B": 1e-7, "C": 1e-6, "M": 1e-5, "X": 1e-4}
_LAUNCHED = {
    "08": 1994, "09": 1995, "10": 1997, "11": 2000, "12": 2001, "13": 2006, "14": 2009, "15": 2010, "16": 2016,
    "17": 2018, "18": 2022, "19": 2024,
}  # fmt: skip
"""Years of the launches (goes.gsfc.nasa.gov/text/goesnew.html; wmo-sat.info, GOES-R long-term operations plan)."""
_CHANNELS = {"xrsb": "0.1–0.8 nm", "xrsa": "0.05–0.4 nm"}


def solar_xrays(text: str, now: datetime, ask: Asks) -> tuple[Document, tuple[str, ...]] | None:
    """Return a template for a request for X-rays or flares alone, with notes; None for other requests.

    Raises
    ------
    NotUnderstood
        The satellite has no X-rays at NCEI, or the request names no time.
    """
    plain, notes = with_plain_times(text, now, ask)
    sentence = Sentence(plain)
    goes = sentence.take_first(_GOES)
    has_flares = sentence.drop(_FLARES) > 0
    has_xrays = sentence.drop(_XRAYS) > 0
    is_list = sentence.drop(_LISTED) > 0
    if not has_xrays and not (has_flares and (goes or is_list)):
        return None
    files = take_files(sentence)
    times = sentence.take_times(now)
    least = sentence.take_first(_LEAST) if has_flares else None
    if sentence.unread() or len(times) > 1:
        return None
    if not times:
        raise NotUnderstood("the request for X-rays names no time", advice="add a time, as 'A to B'")
    steps = Steps()
    span = parse_time_range(times[0], now)
    default, time_notes = default_range(times[0], span, now)
    steps.variables["$TIME_RANGE"] = {"type": "time_range", "default": default}
    satellite = _satellite(goes["number"] if goes else None, ask)
    if span.stop.year < _LAUNCHED[satellite]:
        raise NotUnderstood(
            f"GOES-{int(satellite)} was launched in {_LAUNCHED[satellite]}, after {span}",
            advice="choose another satellite, or another time",
        )
    labels = _channels(
        steps, f"SCI_XRSF-L2-AVG1M_G{satellite}", ("xrsb",) if has_flares else ("xrsb", "xrsa")
    )
    spec: Document = {
        "labels": labels, "panels": [labels], "log_y": {"1": True}, "title": f"GOES-{int(satellite)} X-rays",
        "trace_names": dict(zip(labels, _CHANNELS.values(), strict=False)),
    }  # fmt: skip
    saved = labels
    if has_flares:
        size = _CLASSES[least["class"]] * float(least["size"] or 1) if least else _CLASSES["C"]
        if not least:
            steps.note("flares of class C1 and more, because the request names no class")
        flares = steps.make(
            "flares", "solar_flares", "Find flares", source_label=labels[0], least=float(f"{size:.3g}")
        )
        saved, spec["labels"], spec["panels"] = [flares], [*labels, flares], [[*labels, flares]]
        spec["line_styles"] = {flares: {"mode": "markers"}}
    for form in files.formats or (("csv",) if is_list else ()):
        for label in saved:
            args = {
                "source_labels": [label],
                "filename": f"{label}.{FILE_ENDINGS.get(form, form)}",
                "format": form,
            }
            steps.add(f"save_{label}", "save_data", args, f"Save as {form}")
    steps.add("figure", "render_spec", {"spec": spec}, "Draw the figure")
    steps.note(f"GOES-{int(satellite)} X-rays: science-quality one-minute averages of NOAA's NCEI")
    template = steps.template(
        f"goes-{int(satellite)}-{'flares' if has_flares else 'xrays'}", str(spec["title"])
    )
    return template, (*notes, *time_notes, *files.notes, *steps.notes)


def _satellite(number: str | None, ask: Asks) -> str:
    known = [match[1] for name in datasets_known_to(_PROVIDER) if (match := _DATASET.fullmatch(name))]
    if number is None:
        return ask("The X-rays of which GOES satellite?", [f"GOES-{name}" for name in sorted(known)[::-1]])[
            5:
        ]
    if number.zfill(2) not in known:
        raise NotUnderstood(
            f"NOAA's NCEI has no X-rays of GOES-{number}",
            advice=f"choose one of GOES-{', GOES-'.join(sorted(known))}",
        )
    return number.zfill(2)


def _channels(steps: Steps, dataset: str, channels: tuple[str, ...]) -> list[str]:
    """Add steps that fetch channels, and leave out the minutes that their flags mark; return the labels."""
    parameters = [f"{channel}_{kind}" for channel in channels for kind in ("flux", "flag")]
    args = {
        "dataset_id": dataset,
        "parameters": parameters,
        "time_range": "$TIME_RANGE",
        "provider": _PROVIDER,
    }
    steps.add("xrays", "fetch_data", args, "One-minute averages with their flags")
    return [
        steps.make(
            {"xrsb": "long", "xrsa": "short"}[channel], "mask_by_flag", f"{_CHANNELS[channel]} without flagged minutes",
            series_label=f"{dataset}.{channel}_flux", flag_label=f"{dataset}.{channel}_flag",
        )
        for channel in channels
    ]  # fmt: skip
