"""The file that a table was read from, without anything that reads it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Proof = Literal[
    "checksum in the file", "checksum of the archive", "checksums of its parts", "size only", "nothing", ""
]
"""What shows that the bytes of a file are those that its maker wrote; empty where that was not recorded."""

PROOFS: tuple[Proof, ...] = (
    "checksum in the file",
    "checksum of the archive",
    "checksums of its parts",
    "size only",
    "nothing",
)
"""From the strongest to the weakest.

The MD5 of a CDF covers every byte since its maker closed it. An archive's digest covers every byte since the file came
there. The checksums of gzip or Fletcher32 cover the compressed or chunked values and nothing beside them. A size tells
a cut file from a whole one, and nothing else.
"""


Level = Literal["file", "checksum", "parts", "size"]
LEVELS: dict[Level, Proof] = {
    "file": "checksum in the file",
    "checksum": "checksum of the archive",
    "parts": "checksums of its parts",
    "size": "size only",
}
"""What a run may require of its files: the weakest proof that will do, by a short name."""


def proves(proof: Proof, level: Proof) -> bool:
    """Whether a proof is as strong as a level, or stronger; one that is not known is weaker than any.

    Examples
    --------
    >>> proves("checksum in the file", "checksum of the archive"), proves("size only", "checksum of the archive")
    (True, False)
    """
    return proof != "" and PROOFS.index(proof) <= PROOFS.index(level)


@dataclass(frozen=True)
class SourceFile:
    """A file that a table was read from, as a citation and a lock need it."""

    dataset_id: str
    file: str
    version: str = ""
    provider: str = ""
    sha256: str = ""
    size: int = 0
    doi: str = ""
    acknowledgement: str = ""
    preliminary: bool = False
    """A browse or key-parameter product, not for publication."""
    url: str = ""
    """Where it was downloaded from; empty for a file that was on this machine already."""
    last_modified: str = ""
    """When it was published, in the words of whoever serves it."""
    title: str = ""
    """Of the dataset, as the file says it."""
    pi: str = ""
    """The principal investigators, as the file names them."""
    affiliation: str = ""
    rules_of_use: str = ""
    """What its makers ask of whoever uses it."""
    page: str = ""
    """Where whoever serves the dataset says more of it."""
    reply: bool = False
    """What a service answered when it was asked, not a file that it lists. It is known by its sha256 wherever it is
    from: that of its bytes, or of the table in it where the service writes the same numbers with other dates."""
    proof: Proof = field(default="", compare=False)
    """What shows that its bytes are right. It is no part of keys, of tables or of what is written into exported files:
    the same bytes give the same results however well they are proven."""
    remark: str = ""
    """What was unusual when it was fetched: another format than the preferred one, or an edition that is not known."""
    incomplete: bool = False
    """It may have ended early. A table from it is good for the run that fetched it; the next run fetches it again."""

    @property
    def identity(self) -> str:
        """What names the file in a key: its bytes, or what the archive says of them.

        Of a file that is to be downloaded the sha256 is known only afterwards, and a key must not change with what
        happens to be on this machine. So such a file is always named by what the archive lists: where it is, how
        long it is and when it was published. A reply is named by what is in it.
        """
        if self.reply or not self.url:
            return self.sha256
        return f"{self.url}|{self.size}|{self.last_modified}"

    def cited(self) -> dict[str, Any]:
        """The facts that name it in keys and in exported files: all but its proof."""
        return {name: fact for name, fact in asdict(self).items() if name != "proof"}


_OTHER_NAME = " says that it is of "


def note_on_name(file: str, inside: str, dataset_id: str) -> str:
    """The note on a file that belongs to another dataset than its name says."""
    return f"{file}{_OTHER_NAME}{inside}, and was read as {dataset_id}"


def is_on_name(note: str) -> bool:
    """Whether a note is one of `note_on_name`: it is about an archive's names, not about values."""
    return _OTHER_NAME in note
