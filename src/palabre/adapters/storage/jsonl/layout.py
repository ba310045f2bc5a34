"""Which file below the data dir holds what (seed 000 §5.2; facts of rooms, 3.2 and 3.5)."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from palabre.adapters.storage.file_names import safe_name
from palabre.kernel.ids import ChannelName

NEXT_SUFFIX = ".summary.next.json"
DRAFT_SUFFIX = ".jsonl.draft"


@dataclass(frozen=True, slots=True)
class MessageFiles:
    """Paths of what is said, as strings because each append needs two of them."""

    chat_logs: str
    contexts: str

    @classmethod
    def below(cls, data_dir: Path) -> "MessageFiles":
        """Return the paths below *data_dir*."""
        return cls(str(data_dir / "chat-logs"), str(data_dir / "context"))

    def chat_log(self, at: datetime) -> str:
        """Return the log of the day of *at* (UTC)."""
        return f"{self.chat_logs}/v2-{at.year:04d}-{at:%m-%d}.jsonl"

    def context(self, channel: ChannelName) -> str:
        """Return the file of what was said in *channel*."""
        return f"{self.contexts}/{safe_name(channel)}.jsonl"

    def summary(self, channel: ChannelName) -> str:
        """Return the file of what stands for the channel's oldest utterances."""
        return f"{self.contexts}/{safe_name(channel)}.summary.json"

    def next_summary(self, channel: ChannelName) -> str:
        """Return the summary that is on its way, with the context that it belongs to."""
        return f"{self.contexts}/{safe_name(channel)}{NEXT_SUFFIX}"

    def draft(self, channel: ChannelName) -> str:
        """Return the context that is to replace the channel's."""
        return f"{self.contexts}/{safe_name(channel)}{DRAFT_SUFFIX}"

    @property
    def archives(self) -> str:
        """The directory of what summaries stand for."""
        return f"{self.contexts}/archive"

    def archive(self, channel: ChannelName, at: datetime, number: int) -> str:
        """Return the file of what was summarised at the moment *at* (UTC)."""
        moment = f"{at:%Y%m%dT%H%M%S}{at.microsecond // 1000:03d}-{number}"
        return f"{self.archives}/{safe_name(channel)}.{moment}.jsonl.gz"

    def index(self, channel: ChannelName) -> str:
        """Return the file that remembers how much the context holds."""
        return f"{self.contexts}/{safe_name(channel)}.index.json"
