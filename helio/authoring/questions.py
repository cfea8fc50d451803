"""Keep open questions of an author in files, so that a later command answers the question that was asked."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from helio.authoring.outcome import AuthorQuestion
from helio.errors import DamagedRecord, RequestError
from helio.pipelines.history import Kind
from helio.store.files import write_whole
from helio.store.records import Instant, NaiveInstant, read_record


@dataclass(frozen=True)
class Errand:
    """A request to an author, with all answers so far.

    Parameters
    ----------
    kind : str
        ``"authored"``, ``"edited"`` or ``"repaired"``.
    subject : str
        The pipeline or the proposal to edit, or the run to repair; empty for a new pipeline.
    request : str
        The words of the user.
    name : str
        The name for the new pipeline or for the copy; empty for none.
    chosen : tuple of str
        Answers to the questions so far.
    sources : tuple of str
        Paths of the files that came with the request.
    """

    kind: Kind
    subject: str = ""
    request: str = ""
    name: str = ""
    chosen: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenQuestion:
    """A question that has no answer yet, and the request that it belongs to.

    Parameters
    ----------
    id : str
        ``"question-1f2e3d4c"``.
    text, choices : str, tuple of str
        The question.
    asked : tuple of str
        All questions of the author about this request, this one last.
    by : str
        The author: ``"auto"``, ``"rules"`` or ``"model"``.
    now : str
        The clock of the request, UTC.
    archive : str
        The archive of the request; empty for none.
    """

    id: str
    at: Instant
    text: str
    choices: tuple[str, ...]
    asked: tuple[str, ...]
    errand: Errand
    by: str
    now: NaiveInstant
    archive: str = ""


class OpenQuestions:
    """The open questions in a folder.

    Parameters
    ----------
    folder : Path
        The folder, in helio's home.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(
        self,
        question: AuthorQuestion,
        errand: Errand,
        *,
        asked: tuple[str, ...],
        by: str,
        now: datetime,
        archive: str,
    ) -> OpenQuestion:
        """Keep a question.

        Raises
        ------
        OutputError
        """
        kept = OpenQuestion(
            f"question-{secrets.token_hex(4)}",
            datetime.now(UTC).isoformat(timespec="seconds"),
            question.text,
            question.choices,
            asked or (question.text,),
            errand,
            by,
            now.isoformat(),
            archive,
        )
        text = json.dumps(asdict(kept), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{kept.id}.json", text.encode())
        return kept

    def load(self, name: str) -> OpenQuestion:
        """Load a question by its id, or by the first characters of its id.

        Raises
        ------
        RequestError
            There is no such question or more than one, it was answered, or its file is damaged.
        """
        if not name.startswith("question-"):
            raise RequestError(
                f"'{name}' is not the id of a question",
                advice="use the id that helio printed with its question: question-…",
            )
        matches = sorted(path for path in self._folder.glob("question-*.json") if path.stem.startswith(name))
        if len(matches) > 1:
            listed = ", ".join(path.stem for path in matches)
            raise RequestError(f"{len(matches)} questions begin with '{name}'", advice=f"use one of {listed}")
        again = "send the request again to be asked again"
        missing = RequestError(f"no open question is called '{name}'", advice=again)
        if not matches:
            raise missing
        try:
            return read_record(matches[0], OpenQuestion)
        except FileNotFoundError:  # another process has answered it meanwhile
            raise missing from None
        except DamagedRecord as error:
            raise RequestError(error.message, advice=again) from error

    def remove(self, question: OpenQuestion) -> None:
        """Remove a question that was answered."""
        (self._folder / f"{question.id}.json").unlink(missing_ok=True)
