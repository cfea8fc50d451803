"""A proposal changes nothing until it is accepted, and then only what it was made from."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from helio.authoring.proposals import Proposals
from helio.errors import RequestError
from helio.pipelines.history import Writing
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import as_text


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
    with pytest.raises(RequestError, match="failed already"):
        proposals.accept(made)


# ---- two at once, and what was broken off


def both_at_once(*calls):
    """What comes of calls that begin together."""
    gate = threading.Barrier(len(calls))

    def one(call):
        gate.wait()
        try:
            return call()
        except RequestError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


@pytest.mark.parametrize("again", range(5))
def test_of_two_changes_accepted_at_once_one_is_refused_and_none_is_lost(proposals, library, mine, again):
    red = edited(proposals, mine)
    other = proposals.add(
        kind="edited",
        pipeline="mine",
        request="in blue",
        by="rules",
        before=mine,
        after=mine.replace('"black"', '"blue"'),
    )
    ends = both_at_once(lambda: proposals.accept(red), lambda: proposals.accept(other))
    [refused] = [one for one in ends if isinstance(one, RequestError)]
    assert "has changed since" in refused.message
    assert sorted(one.state for one in proposals.list()) == ["accepted", "pending"]
    [accepted] = proposals.list(state="accepted")
    assert library.text(library.find("mine")) == accepted.after


@pytest.mark.parametrize("again", range(5))
def test_of_two_new_pipelines_of_one_name_accepted_at_once_one_is_refused(proposals, library, mine, again):
    texts = [as_text({**json.loads(mine), "id": "other", "name": name}) for name in ("A", "B")]
    made = [
        proposals.add(kind="authored", pipeline="other", request="…", by="rules", before="", after=text)
        for text in texts
    ]
    ends = both_at_once(*(lambda one=one: proposals.accept(one) for one in made))
    assert [isinstance(one, RequestError) for one in ends].count(True) == 1
    assert len(library.history("other").revisions()) == 1


def test_revisions_written_at_once_are_all_kept(library, mine):
    writes = [
        lambda text=mine.replace('"black"', f'"{colour}"'): library.history("mine").write(text, Writing())
        for colour in ("red", "blue", "green", "gray")
    ]
    both_at_once(*writes)
    revisions = library.history("mine").revisions()
    assert [one.number for one in revisions] == [1, 2, 3, 4, 5]
    assert [one.parent for one in revisions] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("new", [False, True])
def test_what_was_broken_off_between_the_file_and_the_mark_counts_as_accepted(
    proposals, library, mine, new, monkeypatch
):
    made = edited(proposals, mine)
    if new:
        after = as_text({**json.loads(mine), "id": "other"})
        made = replace(made, id="other-1", before="", after=after, pipeline="other", kind="authored")
        proposals._keep(made)
    with monkeypatch.context() as killed:
        killed.setattr(proposals, "_keep", lambda one: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            proposals.accept(made)
    assert proposals.load(made.id).state == "pending"
    proposals.accept(made)
    assert proposals.load(made.id).state == "accepted"
    assert library.text(library.find(made.pipeline)) == made.after
    assert len(library.history(made.pipeline).revisions()) == (1 if new else 2)


def test_what_could_not_run_is_not_accepted_whatever_its_file_says(proposals, library, mine, tmp_path):
    made = edited(proposals, mine)
    file = tmp_path / "proposals" / f"{made.id}.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(facts | {"after": mine.replace('"magnitude"', '"conjure"')}))
    with pytest.raises(InvalidTemplate):
        proposals.accept(proposals.load(made.id))
    assert library.text(library.find("mine")) == mine
    assert proposals.load(made.id).state == "pending"


# ---- the bytes of a file


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_ends_of_lines_and_the_mark_at_the_start_are_kept_through_a_change_and_back(
    proposals, library, mine, tmp_path, mark, ends
):
    elsewhere = tmp_path / "elsewhere.json"
    for path in (library.find("mine").path, elsewhere):
        path.write_bytes((mark + mine.replace("\n", ends)).encode())
        before, name = path.read_bytes(), str(path) if path == elsewhere else "mine"
        text = library.text(library.find(name))
        made = proposals.add(
            kind="edited",
            pipeline=name,
            request="in red",
            by="rules",
            before=text,
            after=text.replace('"black"', '"red"'),
        )
        proposals.accept(made)
        assert path.read_bytes() == before.replace(b'"black"', b'"red"')
        if path == elsewhere:
            proposals.undo(path)
        else:
            library.history("mine").undo()
        assert path.read_bytes() == before
