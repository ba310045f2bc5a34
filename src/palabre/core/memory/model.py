"""What a persona remembers, and what it learns it from."""

from dataclasses import dataclass
from datetime import datetime

from palabre.kernel.ids import ChannelName, Nick, PersonaId


@dataclass(frozen=True, slots=True)
class Memory:
    """The working memory of one persona (seed 000 §11).

    Attributes:
        facts: Short sentences, oldest first.
        summary: What the talks were about; empty if nothing yet.
        updated_at: When it last changed; None if never.
    """

    facts: tuple[str, ...] = ()
    summary: str = ""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Somebody said something to a persona, and it answered.

    Attributes:
        author: Who spoke to the persona.
        at: When that was said; with author and channel it names the message.
        said: The person's own words, whole.
        answer: What the persona said.
    """

    author: Nick
    channel: ChannelName
    at: datetime
    said: str
    answer: str


@dataclass(frozen=True, slots=True)
class ArchivedFact:
    """One fact, and where it came from.

    Attributes:
        first_seen_at: When it was learnt; None if nobody can tell. So `last_seen_at`.
        source: `chat`, or what another program wrote there.
        id: Ours; empty for facts of other programs. So are the next three.
        author: Who said what it was learnt from.
        channel: Where.
        message_at: When that was said; None if unknown.
    """

    text: str
    first_seen_at: datetime | None = None
    last_seen_at: datetime | None = None
    source: str = "chat"
    id: str = ""
    author: str = ""
    channel: str = ""
    message_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ArchivedSummary:
    """What the talks were about at one time; *created_at* None if nobody can tell."""

    text: str
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """All that is kept of one persona's memory (seed 000 §11).

    Attributes:
        facts: The working facts, oldest first.
        summary: The working summary; empty if nothing yet.
        sources: What people said that was read last.
        archive: Every fact that fits, oldest first.
        summaries: The summaries so far, oldest first.
        updated_at: When it last changed; None if never.
        forgotten_at: What was said until then must not be learnt any more, as somebody had
            something of it forgotten; None if nobody had.
    """

    persona: PersonaId
    nick: Nick
    facts: tuple[str, ...] = ()
    summary: str = ""
    sources: tuple[str, ...] = ()
    archive: tuple[ArchivedFact, ...] = ()
    summaries: tuple[ArchivedSummary, ...] = ()
    updated_at: datetime | None = None
    forgotten_at: datetime | None = None

    @property
    def memory(self) -> Memory:
        """What the persona has in mind."""
        return Memory(self.facts, self.summary, self.updated_at)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a model took from a talk: short facts, and what it was about."""

    facts: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """When personas learn, and how much is kept (facts of rooms, 3.6).

    Attributes:
        enabled: Whether they learn at all.
        update_every: Answers to people after which a persona learns.
        window: Exchanges that are read then.
        min_facts: Facts that the model is asked for at least; fewer are taken, too.
        max_facts: Facts that are taken from one reading at the most.
        working_facts: Facts that a persona has in mind.
        source_messages: People's messages that are kept beside them.
        archive_facts: Facts in the archive.
        archive_summaries: Summaries in the archive.
        compat_facts: Facts in the copy for earlier programs.
    """

    enabled: bool = True
    update_every: int = 5
    window: int = 10
    min_facts: int = 0
    max_facts: int = 5
    working_facts: int = 20
    source_messages: int = 10
    archive_facts: int = 100
    archive_summaries: int = 50
    compat_facts: int = 20
