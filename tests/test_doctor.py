"""What ``helio doctor`` says of the sandbox and of the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from helio.doctor import Finding, examine
from helio.errors import NoSandbox, RequestError
from helio.settings import read_settings
from helio.steps.sandbox import jail
from helio.steps.sandbox.parts import FILTER, IDENTITY, LANDLOCK, NAMESPACES, parts

pytestmark = pytest.mark.usefixtures("warm_processes")


def sandbox(home: Path, policy: str = "refuse") -> Finding:
    settings = read_settings({"HELIO_HOME": str(home), "HELIO_SANDBOX": policy})
    return next(finding for finding in examine(settings) if finding.subject == "sandbox")


def test_every_part_that_is_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jail, "find_parts", lambda: parts({}))
    found = sandbox(tmp_path)
    assert found.ok
    told = "limits, system-call filter, Landlock, namespaces, no root, no clock, fixed addresses"
    assert found.found == told


@pytest.mark.parametrize("lacking", [LANDLOCK, NAMESPACES])
def test_a_necessary_part_that_is_lacking_is_said_with_what_to_do(
    lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(jail, "find_parts", lambda: parts({lacking: "Operation not permitted"}))
    found = sandbox(tmp_path)
    assert (found.ok, found.optional) == (False, True)
    assert f"{lacking}" in found.found
    assert "Operation not permitted" in found.found
    assert "HELIO_SANDBOX=weak" in found.advice
    weak = sandbox(tmp_path, "weak")
    assert weak.ok
    assert weak.found.startswith("weak; not available here")


def test_a_part_that_hardens_is_said_where_it_is_lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jail, "find_parts", lambda: parts({IDENTITY: "no"}))
    assert sandbox(tmp_path).found == "refuse; not available here: a user other than root: no"


def test_without_a_filter_no_policy_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jail, "find_parts", lambda: parts({FILTER: "no"}))
    assert not sandbox(tmp_path, "weak").ok


def test_another_system_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def nowhere() -> None:
        raise NoSandbox("code in a template is run on Linux alone", advice="named tools")

    monkeypatch.setattr(jail, "find_parts", nowhere)
    found = sandbox(tmp_path)
    assert (found.ok, found.advice) == (False, "named tools")


def test_the_policy_is_read_from_the_environment(tmp_path: Path):
    home = {"HELIO_HOME": str(tmp_path)}
    assert read_settings(home).sandbox == "refuse"
    assert read_settings(home | {"HELIO_SANDBOX": "weak"}) == replace(
        read_settings(home), sandbox="weak", environ=home | {"HELIO_SANDBOX": "weak"}
    )
    with pytest.raises(RequestError, match="it must be 'refuse' or 'weak'"):
        read_settings(home | {"HELIO_SANDBOX": "off"})


# ---- the model


def model(home: Path, **environ: str) -> Finding:
    settings = read_settings({"HELIO_HOME": str(home), **environ})
    return next(finding for finding in examine(settings) if finding.subject == "model")


def test_no_key_is_said_with_where_one_is_made_and_is_no_fault(tmp_path: Path):
    found = model(tmp_path)
    assert (found.ok, found.optional) == (False, True)
    assert "no API key" in found.found
    assert "GEMINI_API_KEY" in found.advice


def test_a_key_is_there_with_the_models_and_is_not_printed(tmp_path: Path):
    url = "http://user:secret-of-mine@127.0.0.1:9"
    found = model(
        tmp_path, GEMINI_API_KEY="a-key-of-mine", HELIO_MODEL_SMART="gemini/big", HELIO_MODEL_URL=url
    )
    assert found.ok
    assert found.found.startswith("an API key is set; gemini/big for planning, ")
    assert found.found.endswith(", at http://user:[key]@127.0.0.1:9")
    assert "of-mine" not in found.found


def test_nobody_in_place_of_a_model_is_said(tmp_path: Path):
    found = model(tmp_path, GEMINI_API_KEY="a-key-of-mine", HELIO_MODEL_FALLBACK="none")
    assert found.found.endswith("no fallback")
