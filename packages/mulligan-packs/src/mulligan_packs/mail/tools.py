"""The tools of one mailbox, and what each declares about itself."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import astuple

from mulligan.process.event_loop import read_utc_now
from mulligan.runtime.declaration import Declared, Declares, Remote, Undoing
from mulligan.types.call import RecordFunction, ToolFunction
from mulligan.types.effect import Effect, ProbeBy, Repeat
from mulligan.types.interfaces import Clock
from mulligan_packs.mail.callbacks import MailCallbacks, is_same_mail, read_version
from mulligan_packs.mail.desk import MailDesk
from mulligan_packs.mail.errors import MailNotTouchedError
from mulligan_packs.mail.mailbox import Mailbox


class MailTools(Struct, frozen=True, kw_only=True):
    """The declared tools. An agent is given all of them: `tools=[*tools]`."""

    list_folders: ToolFunction
    list_mails: ToolFunction
    list_drafts: ToolFunction
    read_mail: ToolFunction
    read_draft: ToolFunction
    create_draft: ToolFunction
    update_draft: ToolFunction
    delete_draft: ToolFunction
    move_mail: ToolFunction
    send_draft: ToolFunction
    send_mail: ToolFunction

    def __iter__(self) -> Iterator[ToolFunction]:
        return iter(astuple(self))


def mail_tools(m: Declares, mailbox: Mailbox, *, clock: Clock = read_utc_now) -> MailTools:
    """Declare the tools of one mailbox with an application. What sends is held for a person."""
    desk = MailDesk(mailbox, clock)
    can = MailCallbacks(desk)
    reads = m.tool(effect=Effect.READ, server=mailbox.name)
    # The draft's id is our key: two tries make one draft, and a lost one is found by it.
    creating = Declared(
        **_share(can, undo=can.undo_create),
        repeat=Repeat.KEYED,
        key="key",
        read=can.read_created,
        probe=can.find_created,
        probe_by=ProbeBy.CALL,
    )
    # The call's own key stands in the draft that it writes.
    updating = Declared(
        **_share_bound(can, undo=can.undo_update, read=can.read_draft_state),
        key="key",
        probe=can.find_updated,
        probe_by=ProbeBy.CALL,
    )
    # Nothing tells a deletion or a move of ours from a person's: a lost one is never adopted.
    deleting = _share_bound(can, undo=can.undo_delete, read=can.read_draft_state)
    moving = _share_bound(can, undo=can.undo_move, read=can.read_moved)
    sending_draft = Declared(**_share_send(can), describe="Send the draft “{subject}” to {to}")
    # The mail's id is our key.
    sending = Declared(**_share_send(can), key="key", describe="Send “{subject}” to {to}")
    return MailTools(
        list_folders=reads(desk.list_folders),
        list_mails=reads(desk.list_mails),
        list_drafts=reads(desk.list_drafts),
        read_mail=reads(desk.read_mail),
        read_draft=reads(desk.read_draft),
        create_draft=m.tool(**creating)(desk.create_draft),
        update_draft=m.tool(**updating)(desk.update_draft),
        delete_draft=m.tool(**deleting)(desk.delete_draft),
        move_mail=m.tool(**moving)(desk.move_mail),
        send_draft=m.tool(**sending_draft)(desk.send_draft),
        send_mail=m.tool(**sending)(desk.send_mail),
    )


def _share_send(can: MailCallbacks) -> Declared:
    return Declared(
        effect=Effect.IRREVERSIBLE,
        probe=can.find_sent,
        probe_by=ProbeBy.CALL,
        about=can.find_id,
        refuses=MailNotTouchedError,
        server=can.mailbox.name,
    )


def _share(can: MailCallbacks, *, undo: RecordFunction) -> Declared:
    return Declared(
        effect=Effect.REVERSIBLE,
        undo=undo,
        about=can.find_id,
        version=read_version,
        undoing=Undoing(same=is_same_mail, loses=("the number under which a folder had it",)),
        refuses=MailNotTouchedError,
        server=can.mailbox.name,
    )


def _share_bound(can: MailCallbacks, *, undo: RecordFunction, read: RecordFunction) -> Declared:
    """What writes over a version that it was given."""
    return Declared(
        **_share(can, undo=undo),
        if_version="if_match",
        before=read,
        read=read,
        remote=Remote(binds=True),
    )
