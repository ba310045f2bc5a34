// The recording that a persona's voice is made after.

import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { confirmed } from "./confirmation.js";
import { Loaded, useLoaded } from "./loaded.js";
import { attempt, tell } from "./notice.js";

const MAX_BYTES = 10 * 1024 * 1024;

export function VoiceSample({ api, keeper, admin, mayWrite }) {
  const path = `${admin}/voice-sample`;
  const sample = useLoaded(keeper, () => api.get(path));
  const isBusy = useSignal(false);
  const turn = useSignal(0); // a new recording has a new address: the player keeps the old one
  const choose = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    if (file.size > MAX_BYTES) return tell(say("admin.voice.too_large"));
    isBusy.value = true;
    await attempt(async () => {
      await api.send("POST", path, { audio: await base64Of(file) });
      turn.value += 1;
      tell(say("admin.voice.kept"));
    });
    isBusy.value = false;
    sample.reload();
  };
  const remove = async () => {
    if (!(await confirmed(say("admin.voice.sure"), say("admin.delete")))) return;
    await attempt(async () => {
      await api.send("DELETE", path);
      tell(say("admin.voice.removed"));
    });
    sample.reload();
  };
  return html`
    <section class="card" aria-labelledby="voice-sample">
      <h3 id="voice-sample">${say("admin.voice.title")}</h3>
      <${Loaded} from=${sample}>${(found) => html`
        <p>${say(found.hasVoiceSample ? "admin.voice.there" : "admin.voice.none")}</p>
        ${found.hasVoiceSample && html`<audio controls preload="none" src=${`${path}.wav?turn=${turn.value}`} aria-label=${say("admin.voice.title")}></audio>`}
        ${
          mayWrite &&
          html`
            <p class="row-actions">
              <label class="file-button">
                <input type="file" accept="audio/wav,.wav" disabled=${isBusy.value} onChange=${choose} />
                <span>${say(isBusy.value ? "admin.voice.sending" : "admin.voice.choose")}</span>
              </label>
              ${found.hasVoiceSample && html`<button class="flat" onClick=${remove}>${say("admin.delete")}</button>`}
            </p>
          `
        }
      `}<//>
    </section>
  `;
}

function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
