// Sentences that the protocol carries as text alone and a client has to understand
// (seed 000 §5.2, §5.7, §13.2), in French and English.

const MY_NICK = /^\*\*\*\s+(?:Ton nick|Your nick)\s?: (\S+)$/m;
const RENAMED = /^(\S+) (?:est maintenant connu\(e\) comme|is now known as) (\S+?)\.?$/;
const TYPING = /^(\S+) (?:est en train d[’'][eé]crire|is (?:typing|writing))(?:\.\.\.|…)$/;
const REPLAY_STARTS = /^--- (?:Historique r[eé]cent|Recent history) ---$/;
const REPLAY_ENDS = /^--- (?:Fin de l[’']historique|End of (?:the )?history) ---$/;
const REPLAYED = /^\[(\d\d:\d\d)\] ([^]*)$/;
const REFUSED = /^(?:Trop de messages|Too many messages|Message invalide|Invalid message)\b/;
const PROGRESS = /^\[(\w+)\] .*\d+s$/;

export const CLEAR = "__clear__";

/** The nick that the greeting tells, or null. */
export const myNick = (text) => text.match(MY_NICK)?.[1] ?? null;

/** [old, new] when the text announces a change of nick, or null. */
export const renamed = (text) => text.match(RENAMED)?.slice(1, 3) ?? null;

/** Who is writing, when the text says so, or null. */
export const typingNick = (text) => text.match(TYPING)?.[1] ?? null;

export const startsReplay = (text) => REPLAY_STARTS.test(text);
export const endsReplay = (text) => REPLAY_ENDS.test(text);

/** {clock, text} of a replayed message, or null when it carries no hour. */
export function replayed(text) {
  const found = text.match(REPLAYED);
  return found && { clock: found[1], text: found[2] };
}

/** Whether the text tells why a persona's answer failed, as "Batty: erreur Ollama — ..." does. */
export const isFault = (text, nick) => text.startsWith(`${nick}: `);

/** Whether the text begins with a nick, as "Batty reste silencieux" does. */
export const speaksOf = (text, nick) => isFault(text, nick) || text.startsWith(`${nick} `);

/** Whether the server took nothing of what was sent last. */
export const isRefusal = (text) => REFUSED.test(text);

const INVALID = /^(?:Message invalide|Invalid message)\b/;

/** Whether the server did not understand what was sent last. */
export const isNotUnderstood = (text) => INVALID.test(text);

/** The task whose progress the text counts in seconds, or null. */
export const progressOf = (text) => text.match(PROGRESS)?.[1] ?? null;
