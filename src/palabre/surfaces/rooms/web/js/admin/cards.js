// Character cards: taken in by drop or choice, given out in the forms that other programs read.

import { useSignal } from "../../vendor/signals.js";
import { hashOf } from "../core/admin_route.js";
import { html } from "../html.js";
import { language, say } from "../texts.js";
import { problemWords } from "./loaded.js";

const FORMS = ["json", "png", "charx"];

export function CardExport({ id }) {
  const path = `api/admin/personas/${encodeURIComponent(id)}/card`;
  return html`
    <section class="card" aria-labelledby="card-export">
      <h3 id="card-export">${say("admin.card.export")}</h3>
      <p>${say("admin.card.export_about")}</p>
      <p class="row-actions">
        ${FORMS.map((form) => html`<a key=${form} class="flat strong" href=${`${path}?form=${form}`} download>${form.toUpperCase()}</a>`)}
      </p>
    </section>
  `;
}

export function CardImport({ api, done }) {
  const isOver = useSignal(false);
  const outcomes = useSignal([]);
  const isBusy = useSignal(false);
  const take = async (files) => {
    isBusy.value = true;
    for (const file of files) outcomes.value = [...outcomes.value, await outcomeOf(api, file)];
    isBusy.value = false;
    done();
  };
  const dropped = (event) => {
    event.preventDefault();
    isOver.value = false;
    take([...event.dataTransfer.files]);
  };
  const choose = (event) => {
    take([...event.target.files]);
    event.target.value = "";
  };
  const over = (event) => {
    event.preventDefault();
    isOver.value = true;
  };
  return html`
    <section class="card drop" data-over=${isOver.value} aria-labelledby="card-import" onDragOver=${over} onDragLeave=${() => (isOver.value = false)} onDrop=${dropped}>
      <h3 id="card-import">${say("admin.card.import")}</h3>
      <p>${say("admin.card.import_about")}</p>
      <label class="file-button">
        <input type="file" accept=".json,.png,.charx,application/json,image/png" multiple disabled=${isBusy.value} onChange=${choose} />
        <span>${say(isBusy.value ? "admin.card.reading" : "admin.card.choose")}</span>
      </label>
      <ul class="entries" role="status">
        ${outcomes.value.map((each, index) => html`<li key=${index} class="entry-box"><${Outcome} ...${each} /></li>`)}
      </ul>
    </section>
  `;
}

async function outcomeOf(api, file) {
  try {
    return { file: file.name, card: await api.upload(`api/admin/personas/import?lang=${language.value}`, file) };
  } catch (problem) {
    return { file: file.name, problem };
  }
}

function Outcome({ file, card, problem }) {
  if (problem) {
    const { message } = problem.details ?? {};
    return html`<p class="field-error">${say("admin.card.refused", { file, reason: message ?? problemWords(problem) })}</p>`;
  }
  return html`
    <p>${say("admin.card.taken", { file })} <a href=${hashOf("personas", card.id)}>${card.name}</a></p>
    ${(card.remarks ?? []).length > 0 && html`<ul class="plain-list detail">${card.remarks.map(({ text }, index) => html`<li key=${index}>${text}</li>`)}</ul>`}
  `;
}
