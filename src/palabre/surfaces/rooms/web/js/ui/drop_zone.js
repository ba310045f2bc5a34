// The whole page takes files that are dropped on it or pasted into it.

import { useEffect } from "../../vendor/preact-hooks.js";
import { useSignal } from "../../vendor/signals.js";
import { droppedFiles, hasFiles, pastedFiles } from "../core/files.js";
import { html } from "../html.js";
import { say } from "../texts.js";
import { Clip } from "./icons.js";
import { sizeWords } from "./size_words.js";

export function DropZone({ uploads }) {
  const isOver = useSignal(false);
  useEffect(() => watch(uploads, isOver), []);
  if (!isOver.value) return null;
  return html`
    <div class="drop-zone">
      <div class="drop-sheet">
        <${Clip} />
        <p class="drop-title">${say("upload.drop")}</p>
        <p>${say("upload.drop_limit", { limit: sizeWords(uploads.maxBytes) })}</p>
      </div>
    </div>
  `;
}

/** Enter and leave come for each element on the way, so they are counted. */
function watch(uploads, isOver) {
  let depth = 0;
  const settle = (count) => {
    depth = Math.max(0, count);
    isOver.value = depth > 0;
  };
  const onlyFiles = (react) => (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    react(event);
  };
  const reactions = {
    dragenter: onlyFiles(() => settle(depth + 1)),
    dragleave: onlyFiles(() => settle(depth - 1)),
    dragover: onlyFiles((event) => (event.dataTransfer.dropEffect = "copy")),
    drop: onlyFiles((event) => (settle(0), take(uploads, droppedFiles(event.dataTransfer)))),
    paste: (event) => paste(uploads, event),
  };
  for (const [name, react] of Object.entries(reactions)) window.addEventListener(name, react);
  return () => {
    for (const [name, react] of Object.entries(reactions)) window.removeEventListener(name, react);
  };
}

function take(uploads, { files, folders }) {
  for (const name of folders) uploads.reject({ code: "upload.folder", name });
  uploads.add(files);
}

function paste(uploads, event) {
  const files = pastedFiles(event.clipboardData);
  if (files.length === 0) return;
  event.preventDefault();
  uploads.add(files);
}
