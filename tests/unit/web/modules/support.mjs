// Where the modules are, and fakes of what a browser gives them.

import { readFileSync } from "node:fs";

export const WEB = new URL("../../../../src/palabre/surfaces/rooms/web/", import.meta.url);

/** Import a module of the page by its path below `js/`. */
export const load = (path) => import(new URL(`js/${path}`, WEB));

export const source = (path) => readFileSync(new URL(path, WEB), "utf8");

/** Timers whose clock only moves when told to. */
export class ManualTimers {
  #now = 1_000_000;
  #pending = new Map();
  #next = 1;

  now = () => this.#now;

  setTimeout = (run, ms) => {
    this.#pending.set(this.#next, { run, at: this.#now + ms });
    return this.#next++;
  };

  clearTimeout = (timer) => this.#pending.delete(timer);

  advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#pending]
        .filter(([, { at }]) => at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.#pending.delete(due[0]);
      this.#now = due[1].at;
      due[1].run();
    }
    this.#now = end;
  }
}

/** A socket that does what the test says. */
export class FakeSocket {
  readyState = 0;
  sent = [];

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }

  opens() {
    this.readyState = 1;
    this.onopen({});
  }

  says(frame) {
    this.onmessage({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  breaks(code, reason = "") {
    this.readyState = 3;
    this.onclose({ code, reason });
  }
}

/** Storage that remembers nothing beyond the test. */
export class MemoryPreferences {
  constructor(nick = null) {
    this.nick = nick;
  }
}

/** Object URLs as numbers, with what is still held. */
export class CountingUrls {
  held = new Set();
  #next = 1;

  createObjectURL = () => {
    const url = `blob:${this.#next++}`;
    this.held.add(url);
    return url;
  };

  revokeObjectURL = (url) => this.held.delete(url);
}

export const motd = (nick) => ({
  type: "system",
  text: `***\n***  Salon\n***  Ton nick: ${nick}\n***`,
});

/** A request that is answered at once; {status: 0} is a broken line. */
export class FakeRequest {
  headers = {};
  upload = {};
  responseText = "";
  #answer;

  constructor(answer) {
    this.#answer = answer;
  }

  open(...line) {
    this.opened = line;
  }

  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  getResponseHeader(name) {
    return name === "retry-after" ? (this.#answer.waitS ?? null) : null;
  }

  abort() {
    this.onabort();
  }

  send(form) {
    this.form = form;
    const { status, body } = this.#answer;
    this.status = status;
    if (status === 0) return this.onerror();
    this.upload.onprogress({ loaded: form.get("file").size });
    this.responseText = JSON.stringify(body);
    this.onload();
  }
}

/** Let what waits for promises go on. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
