"""What a pipeline was before can be had again."""

import json
from pathlib import Path

import pytest

from helio.errors import RequestError
from helio.pipelines.history import History, Writing


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path, "mine")


def present(tmp_path: Path) -> str:
    return (tmp_path / "mine.json").read_text()


def test_each_text_is_kept_with_who_wrote_it_and_why(history: History, tmp_path: Path):
    history.write("one", Writing())
    history.write("two", Writing("edited", "gemini", "use red", "sha256:ab"))
    first, second = history.revisions()
    assert (first.number, first.parent, first.kind, first.by) == (1, 0, "saved", "you")
    assert (second.parent, second.by, second.request, second.prompt_digest) == (
        1,
        "gemini",
        "use red",
        "sha256:ab",
    )
    assert [history.text(1), history.text(2), present(tmp_path)] == ["one", "two", "two"]


def test_undo_goes_back_a_step_each_time(history: History, tmp_path: Path):
    for text in ("one", "two", "three"):
        history.write(text, Writing())
    history.undo()
    assert present(tmp_path) == "two"
    history.undo()
    assert present(tmp_path) == "one"
    with pytest.raises(RequestError, match="has its first text already"):
        history.undo()


def test_the_sentence_of_the_last_change_is_the_one_that_undo_takes_back(history: History):
    history.write("one", Writing(request="plot Bz"))
    history.write("two", Writing("edited", request="shade A"))
    history.write("three", Writing("edited", request="mark 12:00"))
    assert history.last_sentence() == "mark 12:00"
    history.undo()
    assert history.last_sentence() == "shade A"
    history.write("one", Writing("edited", request="remove the shading"))
    assert history.last_sentence() == "remove the shading"
    history.undo()
    assert history.last_sentence() == "shade A"


def test_an_undo_can_be_undone_by_number(history: History, tmp_path: Path):
    history.write("one", Writing())
    history.write("two", Writing())
    history.undo()
    restored = history.restore(2)
    assert (restored.kind, restored.request) == ("restored", "revision 2")
    assert present(tmp_path) == "two"
    assert history.undo().request == "back to revision 1"


def test_what_was_changed_by_hand_is_not_lost(history: History, tmp_path: Path):
    history.write("one", Writing())
    (tmp_path / "mine.json").write_text("by my hand")
    assert [revision.kind for revision in history.revisions()] == ["saved", "by hand"]
    history.write("two", Writing("edited"))
    history.undo()
    assert present(tmp_path) == "by my hand"
    history.undo()
    assert present(tmp_path) == "one"


def test_a_pipeline_older_than_its_history_has_one(history: History, tmp_path: Path):
    (tmp_path / "mine.json").write_text("old")
    history.write("new", Writing("edited"))
    history.undo()
    assert present(tmp_path) == "old"


def test_a_write_that_was_cut_short_leaves_the_pipeline_where_it_was(history: History, tmp_path: Path):
    history.write("one", Writing())
    history.write("two", Writing())
    (tmp_path / "mine.json").write_text("one")  # killed between keeping the revision and moving the file
    found = history.present()
    assert found is not None
    assert found.number == 1
    assert [revision.kind for revision in history.revisions()] == ["saved", "saved"]


def test_what_a_later_version_adds_to_a_record_does_not_stop_this_one(history: History, tmp_path: Path):
    history.write("one", Writing())
    about = tmp_path / "history" / "mine" / "1.about.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"reviewed_by": "somebody"}))
    assert history.revisions()[0].number == 1


def test_a_revision_that_is_not_there_is_refused_in_words(history: History):
    history.write("one", Writing())
    with pytest.raises(RequestError, match="no revision 7"):
        history.text(7)
