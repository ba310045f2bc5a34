// The files on their way to the server, one after the other.
//
// Upload: {id, name, size, purpose, preview, state, sent, problem, retryAt}
// States: "waiting", "sending" (with `sent` bytes), "reading" (all is sent, the server works),
// "busy" (tried again at `retryAt`), "sent", "failed" (with `problem`: {code, ...} or {message}).

import { MAX_FILES, MAX_FILE_BYTES, isPicture, objection, shortName } from "./files.js";

/** How long a file that arrived is still shown. */
const SHOWN_MS = 3000;

/** Tries after a server that was busy or a connection that was lost, before the user decides. */
const MAX_TRIES = 6;

const DEFAULT_WAIT_S = 15;

export class Uploads {
  maxBytes = MAX_FILE_BYTES;
  #deliver;
  #timers;
  #urls;
  #changed;
  #isConnected;
  #items = [];
  #kept = new Map();
  #active = null;
  #nextId = 1;

  /**
   * @param deliver (file, purpose, {progress(bytes), signal}) => Promise of an outcome:
   *   {status: "sent" | "offline" | "lost"}, {status: "busy", message, waitS},
   *   {status: "refused", message | code}
   * @param isConnected () => boolean
   * @param changed (uploads) => void, at each change
   */
  constructor({ deliver, timers, urls, isConnected, changed }) {
    this.#deliver = deliver;
    this.#timers = timers;
    this.#urls = urls;
    this.#isConnected = isConnected;
    this.#changed = changed;
  }

  /** Take `files` in; those that cannot be sent are shown with the reason. */
  add(files, purpose = "share") {
    const taken = [...files].slice(0, MAX_FILES);
    for (const file of taken) this.#put(file, purpose);
    if (files.length > taken.length)
      this.reject({ code: "upload.too_many", count: files.length, limit: MAX_FILES });
    this.pump();
  }

  /** Show a problem that has no file to send. */
  reject(problem) {
    const name = problem.name ?? "";
    this.#items = [...this.#items, { id: this.#nextId++, name, state: "failed", problem }];
    this.#report();
  }

  /** Stop sending, or forget what is shown. */
  remove(id) {
    this.#kept.get(id)?.abort?.abort();
    if (this.#active === id) this.#active = null;
    this.#forget(id);
    this.pump();
  }

  /** The user wants it tried again. */
  retry(id) {
    if (!this.#kept.has(id)) return;
    this.#kept.get(id).tries = 0;
    this.#set(id, { state: "waiting", problem: null, retryAt: null });
    this.pump();
  }

  /** Send the next one, if none is under way and there is a connection. */
  pump() {
    if (this.#active !== null || !this.#isConnected()) return;
    const next = this.#items.find(({ state }) => state === "waiting" || state === "busy");
    if (next?.state === "waiting") this.#send(next);
  }

  #put(file, purpose) {
    const id = this.#nextId++;
    const problem = objection(file, this.maxBytes);
    const preview = isPicture(file) && !problem ? this.#urls.createObjectURL(file) : null;
    const name = shortName(file.name);
    const item = { id, name, size: file.size, purpose, preview, sent: 0, retryAt: null };
    this.#items = [...this.#items, { ...item, problem, state: problem ? "failed" : "waiting" }];
    if (!problem) this.#kept.set(id, { file, tries: 0, abort: null });
    this.#report();
  }

  async #send({ id, purpose }) {
    const kept = this.#kept.get(id);
    kept.abort = new AbortController();
    kept.tries += 1;
    this.#active = id;
    this.#set(id, { state: "sending", sent: 0 });
    const progress = (sent) => this.#progress(id, sent);
    const outcome = await this.#deliver(kept.file, purpose, {
      progress,
      signal: kept.abort.signal,
    });
    if (!this.#kept.has(id) || this.#active !== id) return;
    this.#active = null;
    this.#end(id, outcome);
    this.pump();
  }

  #progress(id, sent) {
    const { size } = this.#find(id) ?? {};
    if (size)
      this.#set(id, { sent: Math.min(sent, size), state: sent >= size ? "reading" : "sending" });
  }

  #end(id, outcome) {
    const mayTry = this.#kept.get(id).tries < MAX_TRIES;
    if (outcome.status === "sent") return this.#arrived(id);
    if (outcome.status === "busy" && mayTry) return this.#later(id, outcome.waitS);
    if (outcome.status === "offline" && mayTry) return this.#set(id, { state: "waiting" });
    if (outcome.status === "lost" || outcome.status === "offline") return this.#lost(id, mayTry);
    const { message, code, httpStatus } = outcome;
    const problem = message ? { message } : { code: code ?? "upload.refused", status: httpStatus };
    this.#set(id, { state: "failed", problem: { name: this.#find(id).name, ...problem } });
  }

  /** What was sent whole has perhaps arrived: it is not sent twice without being asked for. */
  #lost(id, mayTry) {
    const { name, state } = this.#find(id);
    if (state !== "reading" && mayTry && !this.#isConnected())
      return this.#set(id, { state: "waiting" });
    const code = state === "reading" ? "upload.doubtful" : "upload.lost";
    this.#set(id, { state: "failed", problem: { code, name } });
  }

  #later(id, waitS = DEFAULT_WAIT_S) {
    const waitMs = waitS * 1000;
    this.#set(id, { state: "busy", retryAt: this.#timers.now() + waitMs });
    this.#timers.setTimeout(() => {
      if (this.#find(id)?.state !== "busy") return;
      this.#set(id, { state: "waiting", retryAt: null });
      this.pump();
    }, waitMs);
  }

  #arrived(id) {
    this.#set(id, { state: "sent" });
    this.#kept.delete(id);
    this.#timers.setTimeout(() => this.#forget(id), SHOWN_MS);
  }

  #forget(id) {
    const preview = this.#find(id)?.preview;
    if (preview) this.#urls.revokeObjectURL(preview);
    this.#kept.delete(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#report();
  }

  #find(id) {
    return this.#items.find((item) => item.id === id);
  }

  #set(id, change) {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...change } : item));
    this.#report();
  }

  #report() {
    this.#changed(this.#items);
  }
}
