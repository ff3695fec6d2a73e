"""What the files pack raises.

FilesPackError         before anything was changed, or after it was put back
├── OutsideError       a path that leads out of the root, or over a link
├── NoSuchFileError    404: nothing is there
├── InTheWayError      409: something is there already
├── ChangedFileError   412: it was changed since it was read; also a `ConflictError`
├── LinkedFileError    a file with several names, which a write would part
└── AttributesError    a file whose extended attributes cannot be kept
TooLargeError          more than is kept of a file: a person may have it changed all the same
"""

from __future__ import annotations

from mulligan.types.errors import ConflictError, MulliganError, NothingDone


class FilesPackError(NothingDone):
    """A file was left as it was."""

    status: int | None = None


class OutsideError(FilesPackError):
    """A path that is none of a tool's business."""

    status = 403


class NoSuchFileError(FilesPackError):
    """There is nothing of that name."""

    status = 404


class InTheWayError(FilesPackError):
    """Something of that name is there already."""

    status = 409


class ChangedFileError(FilesPackError, ConflictError):
    """It was changed meanwhile."""

    status = 412

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} has been changed since it was read. Read it again.")


class LinkedFileError(FilesPackError):
    """What takes the place of one name of a file leaves its others with what was there."""

    status = 409

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path!r} has other names (hard links), which would keep the old content."
        )


class AttributesError(FilesPackError):
    """What takes the place of a file could not be given its extended attributes."""

    status = 409


class TooLargeError(MulliganError):
    """It could not be put back, so it is not changed without a person."""
