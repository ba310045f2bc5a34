// What the server was asked for, while it is awaited, when it comes and when it does not.

import { useEffect, useRef } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { wordsFor } from "../core/api.js";
import { html } from "../html.js";
import { knows, say } from "../texts.js";
import { Lines } from "./lines.js";

/**
 * Ask with `ask` now, when `keys` change, and again once somebody has logged in after a refusal.
 * What was there before stays until its successor comes, or does not.
 *
 * @returns {data: signal (undefined at first), problem: signal, reload()}
 */
export function useLoaded(keeper, ask, keys = []) {
  const data = useSignal(undefined);
  const problem = useSignal(null);
  const latest = useRef(0);
  const load = async (isOther) => {
    const turn = (latest.current += 1);
    const [found, trouble] = await ask().then((given) => [given, null], (caught) => [undefined, caught]);
    if (turn !== latest.current) return;
    if (trouble === null || isOther) data.value = found;
    problem.value = trouble;
  };
  const reload = () => load(false);
  useEffect(() => void load(true), keys);
  const isIn = Boolean(keeper.session.value);
  useEffect(() => {
    if (isIn && problem.value?.status === 401) load(true);
  }, [isIn]);
  return { data, problem, reload };
}

/** `children` is a function of the data. */
export function Loaded({ from, children }) {
  const { data, problem, reload } = from;
  return html`
    ${problem.value && html`<${ProblemLine} problem=${problem.value} retry=${reload} />`}
    ${data.value === undefined ? problem.value === null && html`<${Lines} />` : children(data.value)}
  `;
}

export const problemWords = (problem) => say(wordsFor(problem, knows), problem.details ?? {});

export function ProblemLine({ problem, retry }) {
  return html`
    <div class="trouble" role="alert">
      <p>${problemWords(problem)} ${wrongFields(problem)}</p>
      ${retry && html`<button class="flat strong" onClick=${retry}>${say("admin.retry")}</button>`}
    </div>
  `;
}

/** The fields that the server finds wrong, by its own names. */
function wrongFields({ code, details }) {
  if (code !== "validation_error" || !Array.isArray(details)) return "";
  const names = details.map(({ path, loc }) => (path ?? loc ?? []).filter((part) => part !== "body"));
  const said = names.map((parts) => parts.join(".")).filter(Boolean);
  return said.length ? `(${said.join(", ")})` : "";
}
