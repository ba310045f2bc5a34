// What the browser remembers. A browser that refuses storage only forgets.

import { readPins } from "./core/verdicts.js";

const NICK = "kxkm-nick";
const LANGUAGE = "palabre-language";
const THEME = "palabre-theme";
const SOUND = "palabre-sound";
const VOLUME = "palabre-volume";
const MUTED = "palabre-muted";
const PINS = "palabre-pins";
const SESSION = "palabre-session";

export class Preferences {
  #session;
  #local;

  /** @param storages () => {sessionStorage, localStorage}; may throw where storage is refused */
  constructor(storages) {
    const found = attempt(storages);
    this.#session = found?.sessionStorage;
    this.#local = found?.localStorage;
  }

  get nick() {
    return read(this.#session, NICK);
  }

  set nick(value) {
    write(this.#session, NICK, value);
  }

  get language() {
    return read(this.#local, LANGUAGE);
  }

  set language(value) {
    write(this.#local, LANGUAGE, value);
  }

  get theme() {
    return read(this.#local, THEME);
  }

  set theme(value) {
    write(this.#local, THEME, value);
  }

  get isSilent() {
    return read(this.#local, SOUND) === "off";
  }

  set isSilent(value) {
    write(this.#local, SOUND, value ? "off" : "on");
  }

  /** Whether a session was begun here; only the server knows whether it goes on. */
  get hasSession() {
    return read(this.#local, SESSION) === "on";
  }

  set hasSession(value) {
    write(this.#local, SESSION, value ? "on" : "off");
  }

  /** From 0 to 1. */
  get volume() {
    const kept = Number(read(this.#local, VOLUME) ?? 1);
    return kept >= 0 && kept <= 1 ? kept : 1;
  }

  set volume(value) {
    write(this.#local, VOLUME, value);
  }

  /** Answers that were pinned, as core/verdicts.js has them. */
  get pins() {
    return readPins(attempt(() => JSON.parse(read(this.#local, PINS))));
  }

  set pins(pins) {
    write(this.#local, PINS, JSON.stringify(pins));
  }

  /** Nicks of the personas that are not to be heard. */
  get muted() {
    const kept = attempt(() => JSON.parse(read(this.#local, MUTED)));
    return Array.isArray(kept) ? kept.filter((nick) => typeof nick === "string") : [];
  }

  set muted(nicks) {
    write(this.#local, MUTED, JSON.stringify(nicks));
  }
}

const read = (storage, key) => attempt(() => storage.getItem(key)) || null;
const write = (storage, key, value) => attempt(() => storage.setItem(key, value));

function attempt(access) {
  try {
    return access();
  } catch {
    return null;
  }
}
