"""How the mail tools' calls are probed and undone."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_packs.mail.desk import (
    ABSENT,
    DRAFTS,
    PENDING,
    SENT,
    MailDesk,
    SentMail,
    WrittenDraft,
    read_wanted,
)
from mulligan_packs.mail.errors import ChangedMailError
from mulligan_packs.mail.mailbox import FoundMail
from mulligan_packs.mail.message import decode_mail, encode_mail, find_call, is_as_rewritten
from mulligan_packs.typed_dict import TypedDict


class MailState(TypedDict):
    """A mail as it lies in its folder, or that it does not."""

    folder: str
    at: str
    content: str
    flags: str
    date: str


class MailCallbacks:
    """What the declarations of one mailbox's tools need."""

    def __init__(self, desk: MailDesk) -> None:
        self.mailbox = desk.mailbox
        self._build_id, self._is_created = desk.build_id, desk.is_created

    def read_draft_state(self, record: Record) -> MailState:
        """The draft that a call is about."""
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            return _describe(
                [(folder, each) for each in session.find(folder, self.find_id(record))]
            )

    def read_created(self, record: Record) -> MailState | None:
        """The draft that a call has made; `None` if it is not there."""
        state = self.read_draft_state(record)
        return None if state["at"] == ABSENT else state

    def read_moved(self, record: Record) -> MailState:
        """The mail that a call is about, in the folder that it came from or in the other."""
        with self.mailbox.open() as session:
            places = [
                (folder, each)
                for folder in _list_folders(record)
                for each in session.find(folder, self.find_id(record))
            ]
        state = _describe(places)
        return MailState(**{**state, "at": f"{state['folder']}:{state['at']}"})

    def find_id(self, record: Record) -> str:
        """The id of the mail that a call is about."""
        return str(record.arguments.get("mail_id") or self._build_id(record.key))

    def find_created(self, record: Record) -> WrittenDraft | None:
        """The draft that a call has made, as it made it."""
        with self.mailbox.open() as session:
            found = session.find(session.find_folder(DRAFTS), self.find_id(record))
        if not found:
            return None
        if not self._is_created(found, record.arguments, key=record.key):
            raise ConflictError("The draft was written, and changed since.")
        return WrittenDraft(mail_id=self.find_id(record), at=found[0].at)

    def find_updated(self, record: Record) -> WrittenDraft | None:
        """What a change has left; what it left half done is finished."""
        before = cast("MailState", record.before)
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            found = session.find(folder, self.find_id(record))
            ours = [each for each in found if find_call(each.content) == record.key]
            old = [each for each in found if each.at == before["at"]]
            if not ours and len(old) == len(found) == 1:
                return None
            if len(ours) != 1 or len(found) > 2 or not _is_updated(ours[0], record):
                raise ConflictError("The draft has been changed meanwhile.")
            for each in old:
                session.remove(folder, each)
        return WrittenDraft(mail_id=self.find_id(record), at=ours[0].at)

    def find_sent(self, record: Record) -> SentMail | None:
        """Whether a mail was sent: it then lies among what was sent."""
        with self.mailbox.open() as session:
            mail_id = self.find_id(record)
            if session.find(session.find_folder(SENT), mail_id):
                return SentMail(mail_id=mail_id, refused=[])
            drafts = session.find(session.find_folder(DRAFTS), mail_id)
            if any(PENDING in each.flags.split() for each in drafts):
                raise ConflictError("It was being handed over: whether it was sent is unknown.")
            if not drafts and "mail_id" in record.arguments:
                raise ConflictError("The draft is neither where it was nor among what was sent.")
        return None

    def undo_create(self, record: Record) -> None:
        """Remove the draft, if it is still the one that was made."""
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            found = session.find(folder, self.find_id(record))
            if any(each.at != record.version for each in found):
                raise ChangedMailError(self.find_id(record))
            for each in found:
                session.remove(folder, each)

    def undo_update(self, record: Record) -> None:
        """Put the draft back as it was, to the byte, in place of ours."""
        before = _restore(cast("MailState", record.before))
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            found = session.find(folder, self.find_id(record))
            old = [each for each in found if each.at == before.at]
            ours = [each for each in found if each.at == record.version]
            if len(found) != len(old) + len(ours) or len(ours) > 1 or len(old) > 1:
                raise ChangedMailError(self.find_id(record))
            if ours and old:
                session.remove(folder, ours[0])  # an undo before this one came that far
            elif ours:
                # A flag that a person has set on ours stays.
                like = replace(before, flags=ours[0].flags)
                session.replace(folder, ours[0], content=before.content, like=like)
            elif not old:
                raise ChangedMailError(self.find_id(record))

    def undo_delete(self, record: Record) -> None:
        """Put the draft back where it was, once."""
        before = _restore(cast("MailState", record.before))
        with self.mailbox.open() as session:
            folder = session.find_folder(DRAFTS)
            found = session.find(folder, self.find_id(record))
            if not found:
                session.add(folder, before.content, flags=before.flags, date=before.date)
            elif [each.at for each in found] != [before.at]:
                raise ChangedMailError(self.find_id(record))

    def undo_move(self, record: Record) -> None:
        """Move the mail back."""
        [folder, to], mail_id = _list_folders(record), self.find_id(record)
        with self.mailbox.open() as session:
            there, back = session.find(to, mail_id), session.find(folder, mail_id)
            if back and not there:
                return
            if back or [f"{to}:{each.at}" for each in there] != [record.version]:
                raise ChangedMailError(mail_id)
            session.move(to, there[0], to=folder)


def _is_updated(found: FoundMail, record: Record) -> bool:
    """Whether a draft is in everything what a change has made of the one before."""
    before = decode_mail(cast("MailState", record.before)["content"])
    wanted = read_wanted(record.arguments)
    return is_as_rewritten(found.content, wanted, before=before, call=record.key)


def read_version(record: Record) -> str:
    """The version in what was read or returned."""
    return cast("MailState | WrittenDraft", record.result)["at"]


def is_same_mail(before: object, now: object) -> bool:
    """Whether two states have the same content, in the same folder."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    return bool(before["at"] == now["at"])


def _describe(places: list[tuple[str, FoundMail]]) -> MailState:
    """What there is of a mail; of several, all versions."""
    if not places:
        return MailState(folder="", at=ABSENT, content="", flags="", date="")
    found = places[0][1]
    return MailState(
        folder="|".join(name for name, _ in places),
        at="|".join(each.at for _, each in places),
        content=encode_mail(found.content),
        flags=found.flags,
        date=found.date,
    )


def _restore(state: MailState) -> FoundMail:
    content = decode_mail(state["content"])
    return FoundMail(uid="", content=content, flags=state["flags"], date=state["date"])


def _list_folders(record: Record) -> list[str]:
    return [str(record.arguments.get("folder") or "INBOX"), str(record.arguments["to"])]
