// The client: one connection, one room, and what the user can do with them.

import { computed, signal } from "../vendor/signals.js";
import { Connection } from "./core/connection.js";
import { outgoing, parseFrame } from "./core/frames.js";
import { MediaShelf, blobOf, isMedia } from "./core/media.js";
import { isNotUnderstood, isRefusal, renamed } from "./core/phrases.js";
import {
  EMPTY_ROOM,
  connecting,
  currentLog,
  disconnected,
  isAnswered,
  isGrowing,
  lookedAt,
  noticed,
  ownReplies,
  received,
  sent,
  waiting,
} from "./core/room.js";
import { Tickets } from "./core/tickets.js";

/** The states of a connection to rooms that want a session. */
export const WANT_SESSION = ["locked", "ended", "refused"];

const STOP = "/stop";
const IS_STOP = /^\/stop(\s|$)/i;

/** What hears nothing: a client without sound. */
const DEAF = { take() {}, drop() {}, hush() {}, nudge() {}, tidy() {} };

export class Client {
  room = signal(EMPTY_ROOM);
  status = signal({ state: "reconnecting", attempt: 0, retryAt: null });
  // Parts of the room, so that what shows one of them is not drawn again for another.
  log = computed(() => currentLog(this.room.value));
  nick = computed(() => this.room.value.nick);
  channel = computed(() => this.room.value.channel);
  channels = computed(() => this.room.value.channels);
  users = computed(() => this.room.value.users);
  personas = computed(() => this.room.value.personas);
  waiting = computed(() => waiting(this.room.value));
  replaying = computed(() => this.room.value.replay !== null);
  isAnswered = computed(() => isAnswered(this.room.value));
  isConnected = computed(() => this.status.value.state === "connected");
  asksNick = signal(false);
  /** Whether everybody here is called by their session's name, so that nobody chooses one. */
  namesAreGiven = signal(false);
  /** Where what personas say aloud goes; a Voice. */
  voice = DEAF;
  tickets;
  #preferences;
  #timers;
  #connection;
  #shelf;

  /**
   * @param openSocket ({nick: string | null}) => WebSocket-like
   * @param preferences {nick}
   * @param timers {setTimeout, clearTimeout, now}
   * @param urls {createObjectURL, revokeObjectURL}
   */
  constructor({ openSocket, preferences, timers, urls }) {
    this.#preferences = preferences;
    this.#timers = timers;
    this.#shelf = new MediaShelf(urls);
    this.asksNick.value = preferences.nick === null;
    this.#connection = new Connection(() => openSocket({ nick: preferences.nick }), timers, {
      status: (status) => this.#told(status),
      opened: () => this.#opened(),
      closed: () => this.#closed(),
      frame: (raw) => this.#received(raw),
    });
    this.tickets = new Tickets((frame) => this.sendFrame(frame), timers);
  }

  connect() {
    this.#connection.connect();
  }

  /** The rooms want a session: no nick is to be chosen. */
  giveNames() {
    this.namesAreGiven.value = true;
    this.asksNick.value = false;
  }

  /** Go, on the user's wish; only `connect` comes back. */
  leave() {
    this.#connection.disconnect();
  }

  /** Send a line, a command when it begins with a slash; false when nothing can be sent. */
  say(line) {
    if (!this.#connection.send(outgoing(line))) return false;
    if (IS_STOP.test(line)) this.voice.hush(ownReplies(this.room.value));
    this.room.value = sent(this.room.value, line);
    return true;
  }

  /** Send a frame that is no line; false when there is no connection to take it. */
  sendFrame(frame) {
    return this.#connection.send(frame);
  }

  join(channel) {
    return channel !== this.room.value.channel && this.say(`/join ${channel}`);
  }

  rename(nick) {
    return this.say(`/nick ${nick}`);
  }

  /** Whoever answers the user stops, and whoever is heard is silent. */
  stop() {
    if (this.isAnswered.value) return this.say(STOP);
    this.voice.hush([]);
    return true;
  }

  /** Whether the reply `id` is still being written. */
  isGrowing(id) {
    return isGrowing(this.room.value, id);
  }

  /** Say something to the user that nobody else reads: the text `code` of i18n. */
  notice(code, data = {}) {
    this.#change((room, at) => noticed(room, code, data, at));
  }

  /** The window is hidden, or looked at again. */
  look(away) {
    this.room.value = lookedAt(this.room.value, away);
  }

  #told(status) {
    this.status.value = status;
    if (WANT_SESSION.includes(status.state)) this.giveNames();
  }

  /** Everybody starts in the home channel; who was elsewhere goes back there. */
  #opened() {
    const { channel, home } = this.room.value;
    this.room.value = connecting(this.room.value, this.#preferences.nick);
    if (channel !== home) this.say(`/join ${channel}`);
  }

  #closed() {
    this.tickets.closed();
    this.#change(disconnected);
  }

  #received(raw) {
    const frame = parseFrame(raw);
    if (frame === null || this.#isOfTicket(frame)) return;
    if (frame.type === "audio") this.voice.take(frame);
    else this.#show(frame);
  }

  /** A server that knows no tickets says so in words that are not for the user. */
  #isOfTicket(frame) {
    if (frame.type === "uploadTicket") {
      this.tickets.received(frame);
      return true;
    }
    if (!this.tickets.isAsked || frame.type !== "system" || !isRefusal(frame.text)) return false;
    const isUnknown = isNotUnderstood(frame.text);
    this.tickets.refused(isUnknown ? null : "busy");
    return isUnknown;
  }

  #show(frame) {
    const { nick: before, channel } = this.room.value;
    const wasGrowing = frame.replyId !== undefined && this.isGrowing(frame.replyId);
    this.#change((room, at) => received(room, this.#withMedia(frame), at));
    if (frame.type === "system" && renamed(frame.text)?.[0] === before) this.#renamed();
    if (frame.type === "part" && this.#isWanted(frame.nick)) this.rename(frame.nick);
    if (wasGrowing && !this.isGrowing(frame.replyId)) this.#replyEnded(frame);
    if (channel !== this.room.value.channel) this.voice.hush([]);
    if (frame.type !== "chunk") this.#tidyMedia();
  }

  /** A reply ends with its message; whatever else ends it broke it off. */
  #replyEnded({ type, replyId }) {
    if (type === "message") this.voice.nudge();
    else this.voice.drop(replyId);
  }

  /** A nick that was taken when this client asked for it, by its own lost connection perhaps. */
  #isWanted(nick) {
    return nick === this.#preferences.nick && nick !== this.room.value.nick;
  }

  #renamed() {
    this.#preferences.nick = this.room.value.nick;
    this.asksNick.value = false;
  }

  #withMedia(frame) {
    if (!isMedia(frame)) return frame;
    const blob = blobOf(frame);
    return { ...frame, url: blob && this.#shelf.put(blob) };
  }

  #tidyMedia() {
    if (this.#shelf.size === 0 && this.voice.heard?.value.size === 0) return;
    const lines = Object.values(this.room.value.logs).flatMap((log) => log.lines);
    this.#shelf.keepOnly(new Set(lines.map((line) => line.url)));
    const replies = new Set(lines.map((line) => line.replyId));
    this.voice.tidy((key) => replies.has(key) || this.isGrowing(key));
  }

  #change(next) {
    this.room.value = next(this.room.value, this.#timers.now());
  }
}
