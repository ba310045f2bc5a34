// The page: header, channels, log with composer, and who is here.

import { useSignal } from "../../vendor/signals.js";
import { useCallback, useEffect, useRef } from "../../vendor/preact-hooks.js";
import { html } from "../html.js";
import { Channels } from "./channels.js";
import { Composer } from "./composer.js";
import { DropZone } from "./drop_zone.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { Nicks } from "./nicks.js";
import { SessionEnd, SessionGate } from "./session_gate.js";
import { StatusBar } from "./status_bar.js";
import { UploadTray } from "./upload_tray.js";
import { Viewer } from "./viewer.js";
import { VoiceBlocked } from "./voice_panel.js";

/** What a page key moves, as a part of the log's height. */
const PAGE = 0.9;

export function App({ client, commands, preferences, switchLanguage, media, verdicts, keeper, route }) {
  const drawer = useSignal(false);
  const shown = useSignal(null);
  const composer = useRef(null);
  const log = useRef(null);
  const { uploads, items, voice, microphone } = media;
  const write = (text) => inTalk(route, () => composer.current?.replace(text));
  const mention = (nick) => {
    drawer.value = false;
    inTalk(route, () => composer.current?.mention(nick));
  };
  const enlarge = useCallback((id) => (shown.value = picturesOf(client, id)), []);
  const scrollLog = (pages) =>
    log.current.scrollBy({ top: pages * log.current.clientHeight * PAGE });
  return html`
    <div class="frame">
      <${Header} ...${{ client, preferences, switchLanguage, drawer, voice, route }} />
      <${Channels} ...${{ client, route }} />
      <main class="talk" inert=${route.isGallery.value}>
        <${Log} ...${{ client, voice, verdicts, view: log, mention, write, enlarge }} />
        <${VoiceBlocked} voice=${voice} />
        <${UploadTray} ...${{ client, uploads, items }} />
        <${SessionEnd} keeper=${keeper} />
        <${StatusBar} ...${{ client, verdicts }} />
        <${Composer} ...${{ client, commands, scrollLog, voice, uploads, microphone, handle: composer }} />
      </main>
      ${route.isGallery.value && html`<${LazyGallery} ...${{ write, close: route.leave, shown }} />`}
      <${Nicks} ...${{ client, voice, mention, drawer, keeper }} />
    </div>
    <${DropZone} uploads=${uploads} />
    <${Viewer} shown=${shown} />
    <${SessionGate} ...${{ client, keeper }} />
  `;
}

/** Do what needs the talk; it takes the focus only when it is drawn without the gallery. */
function inTalk(route, act) {
  if (!route.isGallery.value) return act();
  route.leave();
  requestAnimationFrame(act);
}

/** The gallery is loaded by those who look at it. */
function LazyGallery(props) {
  const part = useSignal(null);
  useEffect(() => {
    import("./gallery.js").then(({ Gallery }) => (part.value = { Gallery }));
  }, []);
  return part.value && html`<${part.value.Gallery} ...${props} />`;
}

/** The pictures of the log, at the one of the line `id`. */
function picturesOf(client, id) {
  const lines = client.log.value.lines.filter(({ kind, url }) => kind === "image" && url);
  const items = lines.map(({ url, text }) => ({ url, caption: text, filename: "image" }));
  return { items, index: lines.findIndex((line) => line.id === id) };
}
