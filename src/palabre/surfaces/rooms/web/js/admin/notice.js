// What was just done, and the way back where there is one.

import { signal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { problemWords } from "./loaded.js";

const notice = signal(null);

/** @param undo does the opposite; what it throws is told */
export function tell(words, undo = null) {
  notice.value = { words, undo, isBad: false };
}

export function tellProblem(problem) {
  notice.value = { words: problemWords(problem), undo: null, isBad: true };
}

/** Do `act`; a Problem is told. @returns whether it was done */
export async function attempt(act) {
  try {
    await act();
    return true;
  } catch (problem) {
    tellProblem(problem);
    return false;
  }
}

export function Notice() {
  const said = notice.value;
  const undo = () => attempt(said.undo);
  return html`
    <div class=${`notice-bar${said?.isBad ? " bad" : ""}`} role="status" hidden=${said === null}>
      ${
        said &&
        html`
          <span>${said.words}</span>
          <span class="row-actions">
            ${said.undo && html`<button class="flat strong" onClick=${undo}>${say("admin.undo")}</button>`}
            <button class="flat" onClick=${() => (notice.value = null)}>${say("admin.close")}</button>
          </span>
        `
      }
    </div>
  `;
}
