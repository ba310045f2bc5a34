// What a persona is made after.

import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Loaded, ProblemLine, useLoaded } from "./loaded.js";
import { tell } from "./notice.js";

const MAX_REFERENCES = 100;
const MAX_REFERENCE = 500;

export function Source({ api, keeper, admin, mayWrite }) {
  const source = useLoaded(keeper, () => api.get(`${admin}/source`));
  const save = async (said) => {
    source.data.value = await api.send("PUT", `${admin}/source`, said);
    tell(say("admin.saved"));
  };
  return html`
    <section class="card" aria-labelledby="source">
      <h3 id="source">${say("admin.source.title")}</h3>
      <${Loaded} from=${source}>${(found) => html`<${Form} ...${{ source: found, mayWrite, save }} />`}<//>
    </section>
  `;
}

/** One reference a line. */
const linesOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

function Form({ source, mayWrite, save }) {
  const draft = useSignal(null);
  const problem = useSignal(null);
  const { subjectName, summary, references } = draft.value ?? {
    subjectName: source.subjectName ?? "",
    summary: source.summary ?? "",
    references: (source.references ?? []).join("\n"),
  };
  const write = (name) => (event) =>
    (draft.value = { subjectName, summary, references, [name]: event.target.value });
  const lines = linesOf(references);
  const isTooMuch = lines.length > MAX_REFERENCES || lines.some((line) => line.length > MAX_REFERENCE);
  const submit = async (event) => {
    event.preventDefault();
    problem.value = null;
    try {
      await save({ subjectName, summary, references: lines });
      draft.value = null;
    } catch (found) {
      problem.value = found;
    }
  };
  return html`
    <form class="form" onSubmit=${submit}>
      <label class="field">
        <span>${say("admin.source.subject")}</span>
        <input value=${subjectName} maxlength="200" readonly=${!mayWrite} onInput=${write("subjectName")} />
      </label>
      <label class="field">
        <span>${say("admin.source.summary")}</span>
        <textarea rows="4" value=${summary} maxlength="5000" readonly=${!mayWrite} onInput=${write("summary")}></textarea>
      </label>
      <label class="field">
        <span>${say("admin.source.references")}</span>
        <textarea rows="4" value=${references} readonly=${!mayWrite} aria-invalid=${isTooMuch} onInput=${write("references")}></textarea>
        <span class=${isTooMuch ? "field-error" : "detail"}>${say("admin.source.limit", { count: lines.length, limit: MAX_REFERENCES, chars: MAX_REFERENCE })}</span>
      </label>
      ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
      ${mayWrite && html`<p class="row-actions"><button class="primary" disabled=${draft.value === null || isTooMuch}>${say("admin.save")}</button></p>`}
    </form>
  `;
}
