// A form over a record of the server: it sends what was changed, and says so when somebody else
// changed the same meanwhile.

import { useSignal } from "../../vendor/signals.js";
import {
  afterSave,
  changesOf,
  conflictsOf,
  keptMine,
  withField,
  withoutField,
  written,
} from "../core/draft.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { draftAt } from "./drafts.js";
import { ProblemLine } from "./loaded.js";

/**
 * @param place where the draft waits while the page is left
 * @param record {field: value} as the server tells it
 * @param look () => Promise of the record as it is now
 * @param save (changes) => Promise; throws a Problem
 */
export function useDraft({ place, record, look, save }) {
  const draft = draftAt(place);
  const problem = useSignal(null);
  const isBusy = useSignal(false);
  const submit = async (event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      const now = await look();
      if (conflictsOf(draft.value, now).length === 0) {
        const changes = changesOf(draft.value, now);
        await save(changes);
        draft.value = afterSave(draft.value, changes);
      }
    } catch (found) {
      problem.value = found;
    }
    isBusy.value = false;
  };
  return {
    draft,
    record,
    problem,
    isBusy,
    submit,
    shown: (name) => written(draft.value, record, name),
    write: (name, value) => (draft.value = withField(draft.value, record, name, value)),
  };
}

/** What stands below the fields. @param labelOf (field) => its name for people */
export function DraftFoot({ form, labelOf, saveWords = say("admin.save"), isWrong = false }) {
  const { draft, record, problem, isBusy } = form;
  const conflicts = conflictsOf(draft.value, record);
  const hasChanges = Object.keys(changesOf(draft.value, record)).length > 0;
  const isStopped = isBusy.value || isWrong || !hasChanges || conflicts.length > 0;
  return html`
    ${conflicts.map((name) => html`<${Conflict} key=${name} ...${{ name, label: labelOf(name), draft, record }} />`)}
    ${problem.value && html`<${ProblemLine} problem=${problem.value} />`}
    <p class="row-actions">
      <button class="primary" disabled=${isStopped}>${saveWords}</button>
      ${hasChanges && html`<button type="button" class="flat" onClick=${() => (draft.value = {})}>${say("admin.discard")}</button>`}
    </p>
  `;
}

function Conflict({ name, label, draft, record }) {
  return html`
    <div class="conflict" role="alert">
      <p>${say("admin.draft.changed", { field: label })}</p>
      <blockquote>${String(record[name]) || say("admin.draft.empty")}</blockquote>
      <p class="row-actions">
        <button type="button" class="flat strong" onClick=${() => (draft.value = keptMine(draft.value, record, name))}>${say("admin.draft.mine")}</button>
        <button type="button" class="flat" onClick=${() => (draft.value = withoutField(draft.value, name))}>${say("admin.draft.theirs")}</button>
      </p>
    </div>
  `;
}
