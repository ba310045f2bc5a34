// Pictures and music that were made here.

import { useSignal } from "../../vendor/signals.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Shelf, Tabs } from "../ui/gallery.js";
import { Viewer } from "../ui/viewer.js";

export default function Media() {
  const shelf = useSignal("images");
  const shown = useSignal(null);
  return html`
    <section aria-labelledby="page-title">
      <div class="page-head"><h2 id="page-title">${say("admin.page.media")}</h2><${Tabs} shelf=${shelf} /></div>
      <div id="gallery-shelf" role="tabpanel" aria-labelledby=${`tab-${shelf.value}`}>
        <${Shelf} key=${shelf.value} ...${{ shelf: shelf.value, again: null, shown }} />
      </div>
      <${Viewer} shown=${shown} />
    </section>
  `;
}
