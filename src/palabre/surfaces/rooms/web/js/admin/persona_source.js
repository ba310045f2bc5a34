// What a persona is made after.

import { html } from "../html.js";
import { say } from "../texts.js";
import { DraftFoot, useDraft } from "./draft_form.js";
import { Loaded, useLoaded } from "./loaded.js";
import { tell } from "./notice.js";

const MAX_REFERENCES = 100;
const MAX_REFERENCE = 500;

const LABELS = {
  subjectName: "admin.source.subject",
  summary: "admin.source.summary",
  references: "admin.source.references",
};
const labelOf = (name) => say(LABELS[name]);

/** One reference a line. */
const linesOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** As the form has it: its references are one text. */
const recordOf = ({ subjectName, summary, references }) => ({
  subjectName: subjectName ?? "",
  summary: summary ?? "",
  references: (references ?? []).join("\n"),
});

export function Source({ api, keeper, admin, mayWrite }) {
  const path = `${admin}/source`;
  const source = useLoaded(keeper, () => api.get(path));
  const look = async () => recordOf((source.data.value = await api.get(path)));
  const save = async ({ references, ...said }) => {
    const lists = references === undefined ? {} : { references: linesOf(references) };
    source.data.value = await api.send("PUT", path, { ...said, ...lists });
    tell(say("admin.saved"));
  };
  return html`
    <section class="card" aria-labelledby="source">
      <h3 id="source">${say("admin.source.title")}</h3>
      <${Loaded} from=${source}>${(found) => html`<${Form} ...${{ place: path, record: recordOf(found), mayWrite, look, save }} />`}<//>
    </section>
  `;
}

function Form({ mayWrite, ...others }) {
  const form = useDraft(others);
  const lines = linesOf(form.shown("references"));
  const isTooMuch = lines.length > MAX_REFERENCES || lines.some((line) => line.length > MAX_REFERENCE);
  const control = (name) => ({
    value: form.shown(name),
    readonly: !mayWrite,
    onInput: (event) => form.write(name, event.target.value),
  });
  return html`
    <form class="form" onSubmit=${form.submit}>
      <label class="field">
        <span>${labelOf("subjectName")}</span>
        <input maxlength="200" ...${control("subjectName")} />
      </label>
      <label class="field">
        <span>${labelOf("summary")}</span>
        <textarea rows="4" maxlength="5000" ...${control("summary")}></textarea>
      </label>
      <label class="field">
        <span>${labelOf("references")}</span>
        <textarea rows="4" aria-invalid=${isTooMuch} ...${control("references")}></textarea>
        <span class=${isTooMuch ? "field-error" : "detail"}>${say("admin.source.limit", { count: lines.length, limit: MAX_REFERENCES, chars: MAX_REFERENCE })}</span>
      </label>
      ${mayWrite && html`<${DraftFoot} ...${{ form, labelOf, isWrong: isTooMuch }} />`}
    </form>
  `;
}
