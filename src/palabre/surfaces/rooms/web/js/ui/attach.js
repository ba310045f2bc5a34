// The paperclip: files chosen from the machine.

import { useRef } from "../../vendor/preact-hooks.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Clip } from "./icons.js";

export function Attach({ uploads }) {
  const field = useRef(null);
  const chosen = () => {
    uploads.add(field.current.files);
    field.current.value = "";
  };
  return html`
    <button
      type="button"
      class="tool attach"
      aria-label=${say("upload.attach")}
      title=${say("upload.attach")}
      onClick=${() => field.current.click()}
    >
      <${Clip} />
    </button>
    <input class="attach-field" type="file" multiple hidden ref=${field} onChange=${chosen} />
  `;
}
