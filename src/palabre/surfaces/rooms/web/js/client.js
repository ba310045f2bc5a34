// The client: one connection, one room, and what the user can do with them.

import { computed, signal } from "../vendor/signals.js";
import { Connection } from "./core/connection.js";
import { outgoing, parseFrame } from "./core/frames.js";
import { MediaShelf, blobOf, isMedia } from "./core/media.js";
import { renamed } from "./core/phrases.js";
import {
  EMPTY_ROOM,
  connecting,
  currentLog,
  disconnected,
  isAnswered,
  lookedAt,
  received,
  sent,
  waiting,
} from "./core/room.js";

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
      status: (status) => (this.status.value = status),
      opened: () => this.#opened(),
      closed: () => this.#change(disconnected),
      frame: (raw) => this.#received(raw),
    });
  }

  connect() {
    this.#connection.connect();
  }

  /** Go, on the user's wish; only `connect` comes back. */
  leave() {
    this.#connection.disconnect();
  }

  /** Send a line, a command when it begins with a slash; false when nothing can be sent. */
  say(line) {
    if (!this.#connection.send(outgoing(line))) return false;
    this.room.value = sent(this.room.value, line);
    return true;
  }

  join(channel) {
    return channel !== this.room.value.channel && this.say(`/join ${channel}`);
  }

  rename(nick) {
    return this.say(`/nick ${nick}`);
  }

  stop() {
    return this.say("/stop");
  }

  /** The window is hidden, or looked at again. */
  look(away) {
    this.room.value = lookedAt(this.room.value, away);
  }

  /** Everybody starts in the home channel; who was elsewhere goes back there. */
  #opened() {
    const { channel, home } = this.room.value;
    this.room.value = connecting(this.room.value, this.#preferences.nick);
    if (channel !== home) this.say(`/join ${channel}`);
  }

  #received(raw) {
    const frame = parseFrame(raw);
    if (frame === null) return;
    const before = this.room.value.nick;
    this.#change((room, at) => received(room, this.#withMedia(frame), at));
    if (frame.type === "system" && renamed(frame.text)?.[0] === before) this.#renamed();
    if (frame.type === "part" && this.#isWanted(frame.nick)) this.rename(frame.nick);
    this.#tidyMedia();
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
    if (this.#shelf.size === 0) return;
    const lines = Object.values(this.room.value.logs).flatMap((log) => log.lines);
    this.#shelf.keepOnly(new Set(lines.map((line) => line.url)));
  }

  #change(next) {
    this.room.value = next(this.room.value, this.#timers.now());
  }
}
