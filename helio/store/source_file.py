"""Facts about the file from which a table was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Proof = Literal[
    "checksum in the file", "checksum of the archive", "checksums of its parts", "size only", "nothing", ""
]
"""Evidence that a file has the bytes that its producer wrote; empty if none was recorded."""

PROOFS: tuple[Proof, ...] = (
    "checksum in the file",
    "checksum of the archive",
    "checksums of its parts",
    "size only",
    "nothing",
)
"""From the strongest to the weakest.

The MD5 of a CDF covers every byte since its maker closed it. An archive's digest covers every byte since the file came
there. The checksums of gzip or Fletcher32 cover the compressed or chunked values and nothing else. A size only reveals
a truncated file.
"""


Level = Literal["file", "checksum", "parts", "size"]
LEVELS: dict[Level, Proof] = {
    "file": "checksum in the file",
    "checksum": "checksum of the archive",
    "parts": "checksums of its parts",
    "size": "size only",
}
"""Short names of the proofs that a run can require for its files."""


def proves(proof: Proof, level: Proof) -> bool:
    """Tell whether a proof is at least as strong as a level; an unknown proof is weaker than any.

    Examples
    --------
    >>> proves("checksum in the file", "checksum of the archive"), proves("size only", "checksum of the archive")
    (True, False)
    """
    return proof != "" and PROOFS.index(proof) <= PROOFS.index(level)


@dataclass(frozen=True)
class SourceFile:
    """File from which a table was read, with the facts that citations and locks need."""

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
    """Download address; empty for a local file."""
    last_modified: str = ""
    """Time of publication, as the server states it."""
    title: str = ""
    """Title of the dataset, from the file."""
    pi: str = ""
    """The principal investigators, as the file names them."""
    affiliation: str = ""
    rules_of_use: str = ""
    """Conditions of use that the producers of the data state."""
    page: str = ""
    """Web page of the dataset at its provider."""
    reply: bool = False
    """Whether the file is the reply of a service, not a file that an archive lists. The sha256 of its bytes identifies
    a reply, or the sha256 of its table if the service writes other dates into equal data."""
    proof: Proof = field(default="", compare=False)
    """Evidence that its bytes are right. It is not part of keys, tables or exported files: the same bytes give the
    same results, whatever their proof."""
    remark: str = ""
    """Unusual facts about the fetch: another format than the preferred one, or an unknown edition."""
    incomplete: bool = False
    """Whether the file may have ended early. Only this run uses its table; the next run fetches the file again."""

    @property
    def identity(self) -> str:
        """Name of the file in a key: its sha256, or how the archive lists it.

        The sha256 of a file is unknown until it is downloaded, and a key must not depend on the files that happen to
        be on this machine. So a downloaded file is always named by the archive's listing: address, size and time of
        publication. A reply is named by its content.
        """
        if self.reply or not self.url:
            return self.sha256
        return f"{self.url}|{self.size}|{self.last_modified}"

    def cited(self) -> dict[str, Any]:
        """Return the facts that name the file in keys and exported files: all except its proof."""
        return {name: fact for name, fact in vars(self).items() if name != "proof"}


_OTHER_NAME = " says that it is of "


def note_on_name(file: str, inside: str, dataset_id: str) -> str:
    """Write a note on a file whose content names another dataset than its file name."""
    return f"{file}{_OTHER_NAME}{inside}, and was read as {dataset_id}"


def is_on_name(note: str) -> bool:
    """Tell whether `note_on_name` wrote a note: such notes concern file names, not values."""
    return _OTHER_NAME in note
