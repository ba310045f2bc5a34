from palabre.core.chat.members import Member
from palabre.core.chat.ongoing_reply import Reply
from palabre.core.chat.turns import Turn
from palabre.kernel.ids import ChannelName, Nick, ReplyId
from palabre.testing.personas import a_persona
from palabre.testing.sinks import RecordingSink


def a_reply() -> Reply:
    here = ChannelName("#here")
    ana = Member(Nick("ana"), here, RecordingSink())
    return Reply(Turn(a_persona("Batty"), here, ana, "a"), ReplyId("r"))


def test_a_new_reply_has_said_nothing() -> None:
    reply = a_reply()
    assert (reply.pieces, reply.words, reply.is_ending, reply.overtaken) == (0, "", False, False)
    assert not reply.is_heard


def test_what_was_said_before_tools_were_used_is_a_paragraph_of_it() -> None:
    reply = a_reply()
    reply.said_before = "Je cherche."
    assert reply.words == "Je cherche."
    reply.speech.feed("Batty: Voilà.")
    reply.speech.finish()
    assert reply.words == "Je cherche.\n\nVoilà."
