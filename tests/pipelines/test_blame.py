"""Each step names the revision that wrote it as it is now."""

import json
from pathlib import Path

import pytest

from helio.errors import RequestError
from helio.pipelines.blame import blame
from helio.pipelines.history import Writing
from helio.pipelines.library import Library
from helio.pipelines.template.document import as_text


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / "templates")
    made.save({**made.read(made.find("ace-bfield-overview")), "id": "mine"})
    return made


def edit(library: Library, old: str, new: str, request: str) -> None:
    entry = library.find("mine")
    text = library.text(entry)
    assert old in text
    library.replace_text(entry, text.replace(old, new), Writing("edited", "rules", request))


def origins(library: Library) -> dict[str, int]:
    return {origin.part: origin.revision.number for origin in blame(library.history("mine"))}


def test_each_part_names_the_revision_that_changed_it(library):
    assert origins(library) == {"$TIME_RANGE": 1, "1": 1, "2": 1, "3": 1, "4": 1}
    edit(library, '"black"', '"red"', "in red")
    edit(library, '"last 7 days"', '"last 3 days"', "three days")
    assert origins(library) == {"$TIME_RANGE": 3, "1": 1, "2": 1, "3": 1, "4": 2}
    last = next(origin for origin in blame(library.history("mine")) if origin.part == "4").revision
    assert (last.by, last.request) == ("rules", "in red")


def test_an_undo_gives_a_step_back_to_its_author(library):
    edit(library, '"black"', '"red"', "in red")
    edit(library, '"red"', '"blue"', "in blue")
    library.history("mine").undo()
    assert origins(library)["4"] == 2
    library.history("mine").undo()
    assert origins(library)["4"] == 1


def test_a_change_by_hand_counts_and_a_change_of_layout_does_not(library):
    entry = library.find("mine")
    text = library.text(entry)
    entry.path.write_text(json.dumps(json.loads(text)))
    assert origins(library)["1"] == 1
    edited = json.loads(text)
    edited["steps"][0]["intent"] = "fetch"
    entry.path.write_text(as_text(edited))
    assert origins(library) == {"$TIME_RANGE": 1, "1": 2, "2": 1, "3": 1, "4": 1}


def test_a_deleted_pipeline_is_refused(library):
    library.delete("mine")
    with pytest.raises(RequestError, match="deleted"):
        blame(library.history("mine"))
