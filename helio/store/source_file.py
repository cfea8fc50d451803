"""Facts about the file from which helio read a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Proof = Literal[
    "checksum in the file", "checksum of the archive", "checksums of its parts", "size only", "nothing", ""
]
"""Evidence that a file has the bytes that its producer wrote; an empty text if no evidence was recorded."""

PROOFS: tuple[Proof, ...] = (
    "checksum in the file",
    "checksum of the archive",
    "checksums of its parts",
    "size only",
    "nothing",
)
"""All kinds of evidence, from the strongest to the weakest.

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
"""Short names for the levels of evidence that a run can require for its files."""


def proves(proof: Proof, level: Proof) -> bool:
    """Return whether evidence is at least as strong as a level; unknown evidence is weaker than any level.

    Examples
    --------
    >>> proves("checksum in the file", "checksum of the archive"), proves("size only", "checksum of the archive")
    (True, False)
    """
    return proof != "" and PROOFS.index(proof) <= PROOFS.index(level)


@dataclass(frozen=True)
class SourceFile:
    """The file from which a table was read, with the facts that citations and lock files need."""

    dataset_id: str
    file: str
    version: str = ""
    provider: str = ""
    sha256: str = ""
    size: int = 0
    doi: str = ""
    acknowledgement: str = ""
    preliminary: bool = False
    """Whether the file is a browse or key-parameter product, which is not for publication."""
    url: str = ""
    """Address from which the file was downloaded; empty for a local file."""
    last_modified: str = ""
    """Time at which the file was published, as the server states it."""
    title: str = ""
    """Title of the dataset, as the file gives it."""
    pi: str = ""
    """Principal investigators, as the file names them."""
    affiliation: str = ""
    rules_of_use: str = ""
    """Conditions of use that the producers of the data state."""
    page: str = ""
    """Web page of the dataset at its provider."""
    reply: bool = False
    """Whether the file is a service's reply, and not a file in an archive's list. A reply is identified
    by the sha256 of its bytes or, if the service writes varying dates into replies with equal data, by
    the sha256 of its table."""
    proof: Proof = field(default="", compare=False)
    """Evidence that the bytes of the file are right. The evidence does not change keys, tables or
    exported files: the same bytes give the same results."""
    remark: str = ""
    """Unusual facts about the download: a format other than the preferred one, or an unknown version of the file."""
    incomplete: bool = False
    """Whether the file may have ended too early. Only this run uses the table; the next run downloads the
    file again."""

    @property
    def identity(self) -> str:
        """Return what identifies the file in the key of a step's work: its sha256, or its entry in the archive's list.

        The sha256 of a file is unknown until it is downloaded, and a key must not depend on the files that happen to
        be on this machine. So a downloaded file is always named by the archive's listing: address, size and time of
        publication. A reply is named by its content.
        """
        if self.reply or not self.url:
            return self.sha256
        return f"{self.url}|{self.size}|{self.last_modified}"

    def in_words(self) -> str:
        """Name the file in one line: ``"AC_H2_MFI: ac_h2_mfi_20240510_v01.cdf (CDAWeb, version 01)"``."""
        words = [self.provider, f"version {self.version}" if self.version else ""]
        return f"{self.dataset_id}: {self.file} ({', '.join(filter(None, words)) or 'version not known'})"

    def cited(self) -> dict[str, Any]:
        """Return the facts that identify the file in keys and exported files: all facts except `proof`."""
        return {name: fact for name, fact in vars(self).items() if name != "proof"}


_OTHER_NAME = " says that it is of "


def note_on_name(file: str, inside: str, dataset_id: str) -> str:
    """Write a note if the content of a file names another dataset than its file name does."""
    return f"{file}{_OTHER_NAME}{inside}, and was read as {dataset_id}"


def is_on_name(note: str) -> bool:
    """Return whether `note_on_name` wrote a note; these notes are about file names, not about values."""
    return _OTHER_NAME in note
