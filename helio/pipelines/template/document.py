"""The template: the JSON file that says what to fetch, what to compute and what to draw."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from helio.errors import RequestError
from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate
from helio.pipelines.template.oversize import Oversize, oversize_text, oversize_value
from helio.pipelines.template.schema import LONGEST_ID, SCHEMA_FILE, SCHEMA_VERSION, STEP, STRUCTURE

Document = dict[str, Any]
"""A template as JSON. A function that gets a document never changes this document."""

STEP_DEFAULTS: Document = {"intent": "", "produces": [], "depends_on": [], "critical": True}
NOT_MEANING = ("$schema", "annotations", "created_at", "updated_at", "source_session")
"""Keys that do not count for the digest of a template: they say where the template comes from."""

STRINGS_AND_COMMAS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,(?=\s*[}\]])', re.DOTALL)
"""Pattern of texts and of commas before a closing bracket; a text may lack its closing quote."""


def read_template(text: str, *, place: str = "") -> Document:
    """Read a template from its JSON text.

    Raises
    ------
    InvalidTemplate
        HP001 not JSON, HP002 truncated, HP003 not a plan, HP004 no steps, HP005 too large.
    """
    document = check_json(text)
    if isinstance(document, Diagnostic):
        raise InvalidTemplate([document], place=place)
    found = check_shape(document)
    if found is not None:
        raise InvalidTemplate([found], place=place)
    return dict(document)


def check_json(text: str) -> Any:
    """Return the JSON value of a text, or a diagnostic with the reason why the text is no valid JSON."""
    if not text.strip("\ufeff \t\r\n"):
        return Diagnostic("HP001", "the file is empty")
    try:
        return read_json(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return _not_json(text, error)
    except Oversize as error:
        return error.diagnostic
    except ValueError as error:
        return Diagnostic("HP001", str(error))


def read_json(text: str) -> Any:
    """Read strict JSON, which every program reads in the same way: no repeated key, no NaN, no infinity, not too large.

    Raises
    ------
    json.JSONDecodeError
    Oversize
        It is larger than any template; this is found before it is read as JSON.
    ValueError
        It is JSON that no template can be.
    """
    refused = oversize_text(text)
    if refused is not None:
        raise Oversize(refused)
    found = json.loads(
        text,
        object_pairs_hook=_object,
        parse_constant=_refuse_constant,
        parse_float=_finite,
        parse_int=_whole_number,
    )
    refused = oversize_value(found)
    if refused is not None:
        raise Oversize(refused)
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("it contains an incomplete Unicode character (an unpaired surrogate)") from error
    return found


def without_trailing_commas(text: str) -> Any:
    """Return the JSON value of a text after removing commas before closing brackets; None if other errors remain."""
    plain = drop_trailing_commas(text)
    if plain == text or re.search(r"[\[{,]\s*,", STRINGS_AND_COMMAS.sub(_no_strings, text)):
        return None
    try:
        return read_json(plain)
    except ValueError:
        return None


def drop_trailing_commas(text: str) -> str:
    """Return the text without commas before closing brackets; commas inside JSON strings stay."""
    return STRINGS_AND_COMMAS.sub(_strings_only, text)


def check_shape(document: Any) -> Diagnostic | None:
    """Check that a document is an object with steps."""
    if not isinstance(document, dict) or ("steps" not in document and "id" not in document):
        kinds = {dict: "an object without steps", list: "a list", str: "a string", type(None): "null"}
        kind = kinds.get(type(document), json.dumps(document)[:40])
        return Diagnostic(
            "HP003",
            f"this is {kind}, not a pipeline template",
            advice=('write the template as an object: {"id": …, "variables": {…}, "steps": [{…}]}',),
        )
    if not document.get("steps"):
        return Diagnostic("HP004", "the template has no steps, so there is nothing to run", path="/steps")
    return None


def canonical(document: Document) -> Document:
    """Return the template with its keys in the standard order; default values are neither added nor removed."""
    ordered = {"$schema": SCHEMA_FILE} | {
        key: document[key] for key in STRUCTURE["properties"] if key in document
    }
    ordered |= {key: value for key, value in document.items() if key not in ordered}
    ordered["steps"] = [
        {key: step[key] for key in STEP["properties"] if key in step}
        | {key: value for key, value in step.items() if key not in STEP["properties"]}
        if isinstance(step, dict)
        else step
        for step in document.get("steps", [])
    ]
    return ordered


def as_text(document: Document) -> str:
    """Return the text that helio saves in the file of a template."""
    return json.dumps(canonical(document), indent=2, ensure_ascii=False) + "\n"


def digest(document: Document) -> str:
    """Return the SHA-256 digest of a template; key order, default values and annotations do not change the digest."""
    meant = {key: value for key, value in document.items() if key not in NOT_MEANING}
    meant["schema_version"] = document.get("schema_version", SCHEMA_VERSION)
    meant["variables"] = document.get("variables") or {}
    meant["steps"] = [
        {key: value for key, value in (STEP_DEFAULTS | step).items() if key not in NOT_MEANING}
        for step in document["steps"]
    ]
    text = json.dumps(meant, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def is_id(name: object) -> bool:
    """Return whether a value can be the id of a pipeline or the name of a schedule."""
    return isinstance(name, str) and len(name) <= LONGEST_ID and ID.fullmatch(name) is not None


def require_id(name: object, kind: str) -> None:
    """Raise an error if an id cannot be used as a file name.

    Parameters
    ----------
    kind : str
        What it is to be, as the message says it: ``"pipeline id"``, ``"name of a schedule"``.

    Raises
    ------
    RequestError
    """
    if is_id(name):
        return
    shown = shortened(str(name), 60)
    if len(str(name)) > LONGEST_ID:
        raise RequestError(
            f"'{shown}' has {len(str(name))} characters; a {kind} may have at most {LONGEST_ID}",
            advice="choose a shorter name",
        )
    suggested = slug(str(name))
    raise RequestError(
        f"'{shown}' is not a valid {kind}",
        advice=f"use small letters, digits and hyphens: '{suggested or 'my-pipeline'}'",
    )


def id_like(name: str) -> str:
    """Return the valid id that is most similar to a name, cut to the maximum length of an id.

    >>> id_like("ACE B-field"), id_like("/")
    ('ace-b-field', 'pipeline')
    """
    return name if is_id(name) else slug(name)[:LONGEST_ID].strip("-") or "pipeline"


def shortened(text: str, most: int = 120) -> str:
    """Cut a text to at most `most` characters; a text that was longer ends with "…"."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def slug(name: str) -> str:
    """Make the id of a pipeline from its name: ``"ACE B-field Overview"`` is ``"ace-b-field-overview"``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _strings_only(found: re.Match[str]) -> str:
    return found[0] if found[0] != "," else ""


def _no_strings(found: re.Match[str]) -> str:
    return "0" if found[0] != "," else ","


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" appears twice in one object: {json.dumps(value)[:60]}')
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _whole_number(text: str) -> int:
    if len(text) > LIMITS.digits:
        raise ValueError(f"a number has {len(text):,} digits; the maximum is {LIMITS.digits}: {text[:20]}…")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is too large for a 64-bit float")
    return value


def _not_json(text: str, error: json.JSONDecodeError) -> Diagnostic:
    where = f"line {error.lineno}, column {error.colno}"
    # Reading stopped at the very end, or inside a string that never closes: the tail is missing.
    truncated = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if truncated and text.lstrip()[:1] in "{[":
        return Diagnostic(
            "HP002",
            f"the JSON ends too early, at {where}; helio does not guess the missing part",
            advice=("add the missing end of the file",),
        )
    return Diagnostic(
        "HP001",
        f"this is not valid JSON: {error.msg} at {where}",
        advice=(
            "check this place and the line before it for a missing comma, bracket or double quotation mark",
        ),
    )
