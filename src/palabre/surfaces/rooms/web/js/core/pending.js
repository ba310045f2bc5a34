// What was sent and is not done yet: a server does one frame after the other (seed 000 §5.5), so
// what stands behind an answer that still grows has to wait, and the user has to see that it does.
//
// Pending: {id, channel, text, isCommand}; oldest first.

import { isRefusal } from "./phrases.js";

/** Done out of turn, and not answered to who asked. */
const URGENT = /^\/stop(\s|$)/i;

export const isCommand = (line) => line.startsWith("/");

export function withPending(pending, line, { id, channel }) {
  if (URGENT.test(line)) return pending;
  return [...pending, { id, channel, text: line, isCommand: isCommand(line) }];
}

/** What is pending after `frame`, which is no replayed one, came to the user `nick`. */
export function afterFrame(pending, frame, nick) {
  if (pending.length === 0) return pending;
  if (frame.type === "message") return frame.nick === nick ? afterEcho(pending, frame) : pending;
  if (frame.type === "system" && isRefusal(frame.text)) return pending.slice(0, -1);
  return isAnswer(frame) && pending[0].isCommand ? pending.slice(1) : pending;
}

/** What was sent before the line that came back is done too. */
function afterEcho(pending, { text }) {
  const found = pending.findIndex((line) => !line.isCommand && same(line.text, text));
  return pending.slice(found + 1);
}

/** What is said to everybody carries a number, what is said to one does not. */
const isAnswer = ({ type, seq, replyId }) =>
  ["system", "userlist", "channelInfo"].includes(type) &&
  seq === undefined &&
  replyId === undefined;

const same = (one, other) => one.trim() === other.trim();
