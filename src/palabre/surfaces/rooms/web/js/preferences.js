// What the browser remembers. A browser that refuses storage only forgets.

const NICK = "kxkm-nick";
const LANGUAGE = "palabre-language";
const THEME = "palabre-theme";

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
