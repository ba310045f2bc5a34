// Frames of the server (seed 000 §5.7), checked at the border: what passes can be trusted.

import { isCommand } from "./pending.js";

const text = (value) => typeof value === "string";
const name = (value) => text(value) && value.length > 0 && value.length <= 64;
const optional = (check) => (value) => value === undefined || check(value);

const SHAPES = {
  message: { nick: name, text },
  chunk: { nick: name, text },
  system: { text },
  join: { nick: name, channel: name },
  part: { nick: name, channel: name },
  userlist: { users: (value) => Array.isArray(value) && value.every(name) },
  persona: { nick: name },
  channelInfo: { channel: name },
  audio: {
    nick: name,
    data: text,
    mimeType: text,
    number: optional(Number.isInteger),
    seq: optional(Number.isInteger),
  },
  image: { nick: name, text, imageData: text, imageMime: text },
  music: { nick: name, text, audioData: text, audioMime: text },
  uploadTicket: { ticket: text, maxBytes: Number.isSafeInteger },
};

const ALWAYS = { replyId: optional(text), color: optional(text) };

/** The frame in `raw`, or null when it is none that this client knows. */
export function parseFrame(raw) {
  const frame = parsed(raw);
  if (frame === null || typeof frame !== "object" || !Object.hasOwn(SHAPES, frame.type))
    return null;
  const shape = { ...ALWAYS, ...SHAPES[frame.type] };
  return Object.entries(shape).every(([key, check]) => check(frame[key])) ? frame : null;
}

function parsed(raw) {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}

export const MAX_TEXT = 8192;

/** What the composer sends: a line that starts with a slash is a command. */
export function outgoing(line) {
  return { type: isCommand(line) ? "command" : "message", text: line };
}
