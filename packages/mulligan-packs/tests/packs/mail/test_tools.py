"""Every operation proven against a real server; what is sent is sent once, and by a person's word.

In the short form one operation is proven at every point; all of them: MULLIGAN_TEST_PACKS=all.
"""

from __future__ import annotations

import pytest

from mulligan import Mulligan, State
from mulligan_packs.mail import Mailbox, mail_tools
from mulligan_testing.proof import Trial, prove_undo
from tests.packs.mail.conftest import FIRST, Sender, edit, fill_mailbox, look
from tests.packs.proving import act, choose_proven, reject

pytestmark = pytest.mark.full

CALLS = {
    "update": lambda tools: tools.update_draft(FIRST, body="Buy tea."),
    "create": lambda tools: tools.create_draft(["bob@example.com"], "Tea", body="Grüner Tee?"),
    "delete": lambda tools: tools.delete_draft(FIRST),
    "move": lambda tools: tools.move_mail(FIRST, "Archive", folder="Drafts"),
}


@pytest.mark.parametrize("way", choose_proven(CALLS, "update"))
async def test_an_undo_holds_whatever_happens_to_it(imap_url: str, way: str) -> None:
    def build(**proving):
        mailbox = fill_mailbox(imap_url)
        m = Mulligan("memory:", **proving)
        tools = mail_tools(m, mailbox)
        return Trial(
            m=m,
            call=lambda: CALLS[way](tools),
            look=lambda: look(mailbox),
            edit=lambda: edit(mailbox),
        )

    proof = await prove_undo(build)

    # Nothing tells a deletion or a move of ours from a person's: who is stopped there has to ask.
    unsure = ("edited", "stopped at 'called'") if way in ("delete", "move") else ("edited",)
    assert proof.runs >= 15
    assert all(what.startswith(unsure) for what in proof.for_a_person)


@pytest.mark.parametrize("way", CALLS)
async def test_what_was_wrong_is_undone_to_the_byte(mailbox: Mailbox, way: str) -> None:
    before = look(mailbox)

    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        left = await act(m, lambda: CALLS[way](mail_tools(m, mailbox)))

    assert left == []
    assert look(mailbox) == before


async def test_a_mail_is_held_and_sent_once_when_a_person_says_so(
    mailbox: Mailbox, sender: Sender
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        tools = mail_tools(m, mailbox)
        [state] = await act(m, lambda: tools.send_mail(["bob@example.com"], "Tea", body="Tea?"))
        [held] = m.insights.open_list.actions()
        unsent = list(sender.taken)
        said = m.insights.open_list.show_people().describe(held)

        m.insights.open_list.approve(held.id, by="Ann")
        await m.recover()

    assert (state, unsent) == (State.HELD, [])
    assert said == "Send “Tea” to bob@example.com"
    assert [each.rcpt_tos for each in sender.taken] == [["bob@example.com"]]
    assert [folder for folder, *_ in look(mailbox)] == ["Drafts", "Sent Mail"]


async def test_a_draft_that_was_edited_after_it_was_approved_is_not_sent(
    mailbox: Mailbox, sender: Sender
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        tools = mail_tools(m, mailbox)
        at = tools.read_draft(FIRST)["at"]
        await act(m, lambda: tools.send_draft(FIRST, ["bob@example.com"], subject="Milk", at=at))
        [held] = m.insights.open_list.actions()
        edit(mailbox)

        m.insights.open_list.approve(held.id, by="Ann")
        await m.recover()

        states = [m.insights.open_list.find(held.id).state]

    assert sender.taken == []
    assert states == [State.NOT_EXECUTED]
