// The log of one channel: finished lines, replies that still grow, the mark of what is unread.
// Every function returns a new log; nothing is changed in place.
//
// Line:  {id, kind, text, at, ...}; kinds: message, system, error, motd, join, part, notice,
//        image, music, audio
// Reply: {id, nick, color, text, mine, prompt}; an empty text means that somebody is about to speak,
//        `prompt` is what a human had said last when it began

export const MAX_LINES = 500;

export const EMPTY_LOG = Object.freeze({
  lines: [],
  replies: [],
  dividerId: null,
  lastSpeaker: null,
  lastPrompt: "",
});

/** The log with one more line; the oldest go beyond the cap. */
export function withLine(log, line) {
  return { ...log, lines: [...log.lines, line].slice(-MAX_LINES) };
}

/** The log with its last line changed for `line`. */
export const withLastLine = (log, line) => ({ ...log, lines: [...log.lines.slice(0, -1), line] });

export const cleared = (log) => ({ ...log, lines: [], dividerId: null });

/** The reply that a frame speaks of: by its id, else the one of its nick. */
export function replyOf(log, frame) {
  const byId = log.replies.find((reply) => reply.id === frame.replyId);
  return byId ?? log.replies.find((reply) => reply.nick === frame.nick && untold(reply, frame));
}

// A reply known by its nick alone, or a frame without an id: the seed knows nothing but nicks.
const untold = (reply, frame) => frame.replyId === undefined || reply.id === reply.nick;

/** The log in which the reply of `frame` has begun, when it had not. */
export function withTyping(log, frame, color, mine) {
  if (replyOf(log, frame)) return log;
  const { replyId, nick } = frame;
  const reply = { id: replyId ?? nick, nick, color, text: "", mine, prompt: log.lastPrompt };
  return { ...log, replies: [...log.replies, reply] };
}

/** The log in which the reply of `frame` grew; who came in the middle is shown that words lack. */
export function withChunk(log, frame, color, mine) {
  const begun = withTyping(log, frame, color, mine);
  const grown = replyOf(begun, frame);
  const missed = begun !== log && frame.seq > 1 ? "…" : "";
  const replies = begun.replies.map((reply) => {
    if (reply !== grown) return reply;
    return { ...reply, id: frame.replyId ?? reply.id, text: missed + reply.text + frame.text };
  });
  return { ...begun, replies };
}

export function withoutReply(log, reply) {
  return { ...log, replies: log.replies.filter((other) => other !== reply) };
}
