// What the user thinks of answers, as one value. Pure.
//
// Verdicts: {votes: {replyId: "up" | "down"}, pins: [{id, nick, color, text, channel, at}]}

export const EMPTY_VERDICTS = Object.freeze({ votes: Object.freeze({}), pins: Object.freeze([]) });
export const MAX_PINS = 100;
const MAX_PIN_CHARS = 8192;

/** Whether something can be thought of `line`: a whole answer of a persona that the server can name. */
export const isJudged = (line, personas) =>
  line.kind === "message" &&
  line.replyId !== undefined &&
  !line.cut &&
  !line.own &&
  personas.has(line.nick);

export const withVote = (verdicts, id, vote) => ({
  ...verdicts,
  votes: { ...verdicts.votes, [id]: vote },
});

export function withoutVote(verdicts, id) {
  const { [id]: _, ...votes } = verdicts.votes;
  return { ...verdicts, votes };
}

export const isPinned = ({ pins }, id) => pins.some((pin) => pin.id === id);

/** The newest first; the oldest go beyond the cap. */
export function withPin(verdicts, pin) {
  const others = verdicts.pins.filter(({ id }) => id !== pin.id);
  return { ...verdicts, pins: [pin, ...others].slice(0, MAX_PINS) };
}

export const withoutPin = (verdicts, id) => ({
  ...verdicts,
  pins: verdicts.pins.filter((pin) => pin.id !== id),
});

export function pinOf({ replyId, nick, color, text, at }, channel) {
  return { id: replyId, nick, color, text: text.slice(0, MAX_PIN_CHARS), channel, at };
}

/** What the server is told of `line`. */
export function judgementOf({ replyId, nick, text, prompt }, vote, channel) {
  return {
    personaNick: nick,
    response: text,
    ...(prompt && { prompt }),
    messageId: replyId,
    vote,
    channel,
  };
}

/** The pins in what the browser kept; whatever is none is left out. */
export function readPins(kept) {
  if (!Array.isArray(kept)) return [];
  const isText = (value) => typeof value === "string";
  return kept
    .filter((pin) => pin !== null && typeof pin === "object")
    .filter(({ id, nick, text, channel }) => [id, nick, text, channel].every(isText))
    .map(({ id, nick, text, channel, color, at }) => ({
      ...{ id, nick, text, channel },
      color: isText(color) ? color : null,
      at: Number.isFinite(at) ? at : null,
    }))
    .slice(0, MAX_PINS);
}
