"""A proposal changes nothing until it is accepted, and then only what it was made from."""

import json
from pathlib import Path

import pytest

from helio.authoring.proposals import Proposals
from helio.errors import RequestError
from helio.pipelines.library import Library
from helio.pipelines.template import as_text


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "templates")


@pytest.fixture
def proposals(tmp_path: Path, library: Library) -> Proposals:
    return Proposals(tmp_path / "proposals", library)


@pytest.fixture
def mine(library: Library) -> str:
    shipped = library.read(library.find("ace-bfield-overview"))
    library.save({**shipped, "id": "mine"})
    return library.text(library.find("mine"))


def edited(proposals, mine, **more):
    after = mine.replace('"black"', '"red"')
    return proposals.add(
        kind="edited", pipeline="mine", request="in red", by="rules", before=mine, after=after, **more
    )


def test_nothing_changes_while_it_waits(proposals, library, mine):
    edited(proposals, mine)
    assert library.text(library.find("mine")) == mine


def test_an_accepted_change_is_in_the_pipeline_and_in_its_history(proposals, library, mine):
    made = edited(proposals, mine, prompt_digest="sha256:12")
    proposals.accept(made)
    assert '"red"' in library.text(library.find("mine"))
    last = library.history("mine").revisions()[-1]
    assert (last.kind, last.by, last.request, last.prompt_digest) == (
        "edited",
        "rules",
        "in red",
        "sha256:12",
    )
    library.history("mine").undo()
    assert library.text(library.find("mine")) == mine


def test_a_rejected_one_changes_nothing_and_cannot_be_accepted_later(proposals, library, mine):
    made = edited(proposals, mine)
    proposals.reject(made)
    with pytest.raises(RequestError, match="was rejected"):
        proposals.accept(made)
    assert library.text(library.find("mine")) == mine


def test_it_is_refused_when_the_pipeline_has_changed_meanwhile(proposals, library, mine):
    made = edited(proposals, mine)
    library.find("mine").path.write_text(mine.replace("1.0", "2.0") + "\n")
    with pytest.raises(RequestError, match="has changed since"):
        proposals.accept(made)


def test_a_new_pipeline_is_saved_under_its_id(proposals, library, mine):
    text = as_text({**json.loads(mine), "id": "other"})
    proposals.accept(
        proposals.add(kind="authored", pipeline="other", request="…", by="rules", before="", after=text)
    )
    assert library.text(library.find("other")) == text


def test_the_change_is_told_as_a_patch_and_in_words(proposals, mine):
    made = edited(proposals, mine)
    assert made.patch == [
        {"op": "replace", "path": "/steps/3/tool_args/trace_colors/ACE_Bmag", "value": "red"}
    ]
    assert [str(one) for one in made.changes] == ["step 4: colour of ACE_Bmag: black → red"]


def test_they_outlive_the_process_and_are_found_by_the_beginning_of_their_id(
    proposals, library, mine, tmp_path
):
    made = edited(proposals, mine, notes=("last week is 2024-01-13 to 2024-01-20",))
    later = Proposals(tmp_path / "proposals", library)
    assert later.load(made.id[:-1]) == made
    assert later.list(state="pending") == [made]
    with pytest.raises(RequestError, match="no proposal"):
        later.load("nothing")


def test_what_came_to_nothing_is_kept_for_the_record(proposals):
    made = proposals.add(
        kind="authored",
        pipeline="x",
        request="the impossible",
        by="gemini",
        before="",
        after="",
        diagnostics=({"code": "HE401"},),
    )
    assert proposals.load(made.id).state == "failed"
    with pytest.raises(RequestError, match="came to nothing"):
        proposals.accept(made)
