// The server's routes as calls: what comes back is the data, or a Problem says why there is none.

const OFFLINE = 0;

/** Why a call gave nothing. `status` is that of HTTP, 0 without an answer; `code` the server's word. */
export class Problem extends Error {
  constructor(status, code, details = null) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export class Api {
  /** How far the server's clock is ahead of ours, in milliseconds, as of its last answer. */
  aheadMs = 0;
  #load;
  #now;
  #refused;

  /**
   * @param load (url, options) => Promise<Response>, such as fetch
   * @param now () => milliseconds since 1970
   * @param refused is told when the server wants a session that we do not have
   */
  constructor({ load, now, refused = () => {} }) {
    this.#load = load;
    this.#now = now;
    this.#refused = refused;
  }

  get(path) {
    return this.#call(path, { method: "GET" });
  }

  /**
   * @param body what becomes JSON; undefined sends none
   * @param others headers besides
   */
  send(method, path, body, others = {}) {
    const headers = { ...others, ...(body !== undefined && { "content-type": "application/json" }) };
    return this.#call(path, { method, headers, body: body && JSON.stringify(body) });
  }

  /** @param file a Blob, which is the body as it is */
  upload(path, file) {
    const headers = { "content-type": file.type || "application/octet-stream" };
    return this.#call(path, { method: "POST", headers, body: file });
  }

  async #call(path, options) {
    const response = await this.#answer(path, options);
    const body = await response.json().catch(() => null);
    if (response.ok && body !== null) return body.data === undefined ? body : body.data;
    const code = typeof body?.error === "string" ? body.error : "unreadable";
    if (code === "session_required") this.#refused();
    throw new Problem(response.status, code, body?.details ?? null);
  }

  async #answer(path, options) {
    const response = await this.#load(path, { ...options, cache: "no-store" }).catch(() => null);
    if (response === null) throw new Problem(OFFLINE, "offline");
    const date = Date.parse(response.headers.get("date"));
    if (!Number.isNaN(date)) this.aheadMs = date - this.#now();
    return response;
  }
}

/** `path` with the parts of `query` that say something. */
export function withQuery(path, query) {
  const said = Object.entries(query).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  const search = new URLSearchParams(said).toString();
  return search ? `${path}?${search}` : path;
}

/** The code of the text that tells a Problem; `known` says which texts there are. */
export function wordsFor(problem, known) {
  const { status, code } = problem;
  const own = `problem.${code}`;
  if (known(own)) return own;
  if (code === "not_found" || status === 405) return "problem.no_route";
  const general = `problem.status_${status}`;
  if (known(general)) return general;
  return status >= 500 ? "problem.failed" : "problem.refused";
}
