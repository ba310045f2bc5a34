// What the client knows of the rooms, as one value, and what each frame of the server makes of it.
// Pure: no clock, no socket, no page. `at` is milliseconds since 1970.

import { checkedColor } from "./color.js";
import {
  EMPTY_LOG,
  cleared,
  replyOf,
  withChunk,
  withLastLine,
  withLine,
  withTyping,
  withoutReply,
} from "./log.js";
import { afterFrame, withPending } from "./pending.js";
import {
  CLEAR,
  endsReplay,
  isFault,
  myNick,
  progressOf,
  renamed,
  replayed,
  speaksOf,
  startsReplay,
  typingNick,
} from "./phrases.js";
import { alreadyShown } from "./replay.js";

const DEFAULT_CHANNEL = "#general";

export const EMPTY_ROOM = Object.freeze({
  nick: null,
  wantedNick: null,
  home: DEFAULT_CHANNEL,
  moves: false,
  channel: DEFAULT_CHANNEL,
  channels: [DEFAULT_CHANNEL],
  users: [],
  personas: new Map(),
  logs: { [DEFAULT_CHANNEL]: EMPTY_LOG },
  replay: null,
  pending: [],
  asksWho: false,
  away: false,
  unread: 0,
  nextId: 1,
});

/** The log that is shown: the one of the current channel. */
export const currentLog = (room) => room.logs[room.channel];

/** Nicks of people, then of personas, each in the order of the server. */
export function presence({ users, personas }) {
  return {
    people: users.filter((nick) => !personas.has(nick)),
    personas: users.filter((nick) => personas.has(nick)),
  };
}

/** Whether a persona is answering the user here. */
export const isAnswered = (room) => currentLog(room).replies.some((reply) => reply.mine);

/** Whether the reply `id`, as frames name it, is still being written somewhere. */
export const isGrowing = (room, id) =>
  Object.values(room.logs).some((log) => log.replies.some((reply) => reply.id === id));

/** Ids of the replies that the user is being given here. */
export const ownReplies = (room) =>
  currentLog(room)
    .replies.filter((reply) => reply.mine)
    .map((reply) => reply.id);

/** What was sent here and is not done. A command that nothing holds up is done at once. */
export function waiting(room) {
  if (room.pending.length === 0) return room.pending;
  return heldUp(room).filter((line) => line.channel === room.channel);
}

const heldUp = (room) => room.pending.filter((line) => !line.isCommand || isAnswered(room));

/** The room after a frame of the server. */
export function received(room, frame, at) {
  const pending = room.replay ? room.pending : afterFrame(room.pending, frame, room.nick);
  return HANDLERS[frame.type]({ ...room, pending }, frame, at);
}

/** The room when a connection begins: the server puts everybody into its home channel. */
export function connecting(room, wantedNick) {
  return { ...entered(room, room.home), wantedNick, moves: false };
}

/** The room when a line was sent, such as `/join`: where we are is from now on our wish. */
export function sent(room, line) {
  const pending = withPending(room.pending, line, { id: room.nextId, channel: room.channel });
  const asksWho = room.asksWho || /^\/who\s*$/i.test(line);
  return { ...room, pending, asksWho, moves: true, nextId: room.nextId + 1 };
}

/** The room when the connection is gone: what was being said stays, marked as cut. */
export function disconnected(room, at) {
  const cut = Object.keys(room.logs).reduce((current, channel) => {
    const log = current.logs[channel];
    return log.replies.reduce((next, reply) => replyCut(next, channel, reply, at), current);
  }, room);
  const told = heldUp(room).reduce((next, line) => withUnsent(next, line, at), cut);
  return { ...told, pending: [], asksWho: false, replay: null };
}

function withUnsent(room, { text, channel }, at) {
  return addLine(room, { kind: "unsent", nick: room.nick, text, own: true, at }, channel);
}

/** The room with a line of the client itself; `code` and `data` name a text of i18n. */
export function noticed(room, code, data, at) {
  return addLine(room, { kind: "notice", text: "", code, data, at });
}

/** The room when the window is hidden (`away`) or looked at again. */
export function lookedAt(room, away) {
  if (!away) return { ...room, away, unread: 0 };
  return { ...withLog(room, { ...currentLog(room), dividerId: null }), away, unread: 0 };
}

const HANDLERS = {
  message: onMessage,
  chunk: (room, frame) =>
    withLog(room, withChunk(currentLog(room), frame, colorOf(room, frame), isMine(room))),
  system: onSystem,
  join: onJoin,
  part: onPart,
  userlist: onUserlist,
  persona: onPersona,
  channelInfo: (room, { channel }) => entered(room.moves ? room : withHome(room, channel), channel),
  image: onMedia,
  music: onMedia,
  audio: (room) => room,
};

function onMessage(room, frame, at) {
  const color = colorOf(room, frame);
  const past = room.replay && frame.seq === undefined ? replayed(frame.text) : null;
  if (past) return withReplayed(room, { kind: "message", nick: frame.nick, color, at, ...past });
  const log = currentLog(room);
  const reply = replyOf(log, frame);
  const base = reply ? withLog(room, withoutReply(log, reply)) : room;
  const own = frame.nick === room.nick;
  const spoken = addLine(base, {
    kind: "message",
    nick: frame.nick,
    text: frame.text,
    replyId: frame.replyId,
    prompt: reply?.prompt ?? log.lastPrompt,
    color,
    own,
    at,
  });
  return counted(withSpeaker(spoken, frame), own);
}

/** Chains keep the human who began them: personas do not change who is answered. */
function withSpeaker(room, { nick, text }) {
  if (room.personas.has(nick)) return room;
  return withLog(room, { ...currentLog(room), lastSpeaker: nick, lastPrompt: text });
}

function counted(room, own) {
  if (!room.away || own) return room;
  const log = currentLog(room);
  const dividerId = log.dividerId ?? log.lines.at(-1).id;
  return { ...withLog(room, { ...log, dividerId }), unread: room.unread + 1 };
}

function onSystem(room, frame, at) {
  const { text } = frame;
  if (text === CLEAR) return withLog(room, cleared(currentLog(room)));
  if (myNick(text)) return greeted(room, text, at);
  if (typingNick(text)) return onTyping(room, { ...frame, nick: typingNick(text) });
  if (startsReplay(text)) return { ...room, replay: [] };
  if (endsReplay(text)) return historyShown(room, at);
  return onSystemLine(room, frame, at);
}

function greeted(room, text, at) {
  const nick = myNick(text);
  const known = { ...room, nick, personas: new Map() };
  const back = room.nick !== null && { code: "welcome.back", data: { nick } };
  const greeting = addLine(known, { kind: "motd", text, at, ...back });
  if (!room.wantedNick || room.wantedNick === nick) return greeting;
  return noticed(greeting, "nick.refused", { wanted: room.wantedNick, nick }, at);
}

function onTyping(room, frame) {
  return withLog(room, withTyping(currentLog(room), frame, colorOf(room, frame), isMine(room)));
}

function onSystemLine(room, frame, at) {
  const { text } = frame;
  const past = room.replay && frame.seq === undefined ? replayed(text) : null;
  if (past) return withReplayed(room, { kind: "system", at, ...past });
  const log = currentLog(room);
  const change = renamed(text);
  if (change) return addLine(withRename(room, ...change), { kind: "system", text, at });
  const ended = brokenOffReply(log, frame);
  if (ended) return replyBrokenOff(room, ended, text, at);
  const line = { kind: "system", text, at };
  return continuesProgress(log, text) ? replaceLine(room, line) : addLine(room, line);
}

/** By its id; a server that gives no ids names the persona before a colon. */
function brokenOffReply({ replies }, { text, replyId }) {
  if (replyId === undefined)
    return replies.find((reply) => reply.id === reply.nick && isFault(text, reply.nick));
  // A line before the first word may also say why that takes long: then it begins with no nick.
  return replies.find(
    ({ id, nick, text: told }) => id === replyId && (told !== "" || speaksOf(text, nick)),
  );
}

function replyBrokenOff(room, reply, text, at) {
  const kind = isFault(text, reply.nick) ? "error" : "system";
  return addLine(replyCut(room, room.channel, reply, at), { kind, text, at });
}

function continuesProgress(log, text) {
  const task = progressOf(text);
  const last = log.lines.at(-1);
  return task !== null && last?.kind === "system" && progressOf(last.text) === task;
}

function withRename(room, old, current) {
  const users = room.users.map((nick) => (nick === old ? current : nick));
  const nick = room.nick === old ? current : room.nick;
  return { ...room, users, nick };
}

function onPersona(room, frame) {
  const personas = new Map(room.personas);
  personas.set(frame.nick, checkedColor(frame.color));
  return { ...room, personas };
}

function onUserlist(room, frame, at) {
  const listed = { ...room, users: [...new Set(frame.users)] };
  if (frame.seq !== undefined || !room.asksWho) return listed;
  const { people, personas } = presence(listed);
  const data = { people: people.join(", "), personas: personas.join(", ") || "—" };
  const line = { kind: "system", text: "", code: "who", data, at };
  return addLine({ ...listed, asksWho: false }, line);
}

function onJoin(room, frame, at) {
  const base = frame.nick === room.nick ? entered(room, frame.channel) : room;
  if (frame.channel !== base.channel) return base;
  const users = base.users.includes(frame.nick) ? base.users : withPerson(base, frame.nick);
  const joined = { ...base, users };
  return frame.nick === room.nick ? joined : addLine(joined, moved("join", frame, at));
}

function withPerson({ users, personas }, nick) {
  const first = users.findIndex((user) => personas.has(user));
  return users.toSpliced(first < 0 ? users.length : first, 0, nick);
}

function onPart(room, frame, at) {
  if (frame.nick === room.nick || frame.channel !== room.channel) return room;
  const users = room.users.filter((nick) => nick !== frame.nick);
  return addLine({ ...room, users }, moved("part", frame, at));
}

function moved(kind, frame, at) {
  return { kind, nick: frame.nick, text: frame.text ?? `${frame.nick} ${frame.channel}`, at };
}

function onMedia(room, frame, at) {
  const { type: kind, nick, text = "", url } = frame;
  const line = { kind, nick, text, url, color: colorOf(room, frame), own: nick === room.nick, at };
  return counted(addLine(room, line), line.own);
}

function withReplayed(room, line) {
  return { ...room, replay: [...room.replay, line] };
}

function historyShown(room, at) {
  const lines = room.replay ?? [];
  const unseen = withoutShown(currentLog(room).lines, lines);
  const base = { ...withoutSent(room, lines), replay: null };
  if (unseen.length === 0) return base;
  const opened = noticed(base, "divider.history", {}, at);
  const filled = unseen.reduce((next, line) => addLine(next, line), opened);
  return noticed(filled, "divider.now", {}, at);
}

/** The `lines` of the history that are not among the `shown` ones. */
function withoutShown(shown, lines) {
  const isMessage = (line) => line.kind === "message" && !line.cut;
  const known = alreadyShown(shown.filter(isMessage), lines.filter(isMessage));
  if (known === 0) return lines;
  const last = lines.indexOf(lines.filter(isMessage)[known - 1]);
  const told = new Set(shown.filter((line) => line.kind === "system").map(({ text }) => text));
  return lines.slice(last + 1).filter((line) => line.kind !== "system" || !told.has(line.text));
}

/** What was sent after all, as the history tells, is not marked any more. */
function withoutSent(room, told) {
  const log = currentLog(room);
  const isTold = (line) =>
    told.some(({ nick, text }) => nick === line.nick && text.trim() === line.text.trim());
  return withLog(room, {
    ...log,
    lines: log.lines.filter((line) => line.kind !== "unsent" || !isTold(line)),
  });
}

function replyCut(room, channel, reply, at) {
  const base = {
    ...room,
    logs: { ...room.logs, [channel]: withoutReply(room.logs[channel], reply) },
  };
  if (reply.text === "") return base;
  const { nick, text, color } = reply;
  return addLine(base, { kind: "message", nick, text, color, cut: true, at }, channel);
}

/** What was told before the server said where we are was told there. */
function withHome(room, home) {
  const { [room.home]: told, ...others } = room.logs;
  const channels = room.channels.map((channel) => (channel === room.home ? home : channel));
  return { ...room, home, channels: [...new Set(channels)], logs: { [home]: told, ...others } };
}

function entered(room, channel) {
  const channels = room.channels.includes(channel) ? room.channels : [...room.channels, channel];
  const logs = { ...room.logs, [channel]: room.logs[channel] ?? EMPTY_LOG };
  return { ...room, channel, channels, logs };
}

function addLine(room, line, channel = room.channel) {
  const logs = {
    ...room.logs,
    [channel]: withLine(room.logs[channel], { id: room.nextId, ...line }),
  };
  return { ...room, logs, nextId: room.nextId + 1 };
}

function replaceLine(room, line) {
  const log = currentLog(room);
  return withLog(room, withLastLine(log, { ...line, id: log.lines.at(-1).id }));
}

const withLog = (room, log) => ({ ...room, logs: { ...room.logs, [room.channel]: log } });
const colorOf = (room, frame) => checkedColor(frame.color) ?? room.personas.get(frame.nick) ?? null;
const isMine = (room) => room.nick !== null && currentLog(room).lastSpeaker === room.nick;
