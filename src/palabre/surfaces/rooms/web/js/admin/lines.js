// What stands where something is still being loaded.

import { html } from "../html.js";
import { say } from "../texts.js";

export const Lines = () => html`<p class="empty" role="status">${say("admin.loading")}</p>`;
