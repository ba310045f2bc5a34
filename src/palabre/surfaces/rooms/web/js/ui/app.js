// The page: header, channels, log with composer, and who is here.

import { useSignal } from "../../vendor/signals.js";
import { useRef } from "../../vendor/preact-hooks.js";
import { html } from "../html.js";
import { Channels } from "./channels.js";
import { Composer } from "./composer.js";
import { Header } from "./header.js";
import { Log } from "./log.js";
import { Nicks } from "./nicks.js";
import { StatusBar } from "./status_bar.js";

/** What a page key moves, as a part of the log's height. */
const PAGE = 0.9;

export function App({ client, commands, preferences, switchLanguage }) {
  const drawer = useSignal(false);
  const composer = useRef(null);
  const log = useRef(null);
  const write = (text) => composer.current?.replace(text);
  const mention = (nick) => {
    drawer.value = false;
    composer.current?.mention(nick);
  };
  const scrollLog = (pages) =>
    log.current.scrollBy({ top: pages * log.current.clientHeight * PAGE });
  return html`
    <div class="frame">
      <${Header} ...${{ client, preferences, switchLanguage, drawer }} />
      <${Channels} client=${client} />
      <main class="talk">
        <${Log} ...${{ client, view: log, mention, write }} />
        <${StatusBar} client=${client} />
        <${Composer} ...${{ client, commands, scrollLog, handle: composer }} />
      </main>
      <${Nicks} ...${{ client, mention, drawer }} />
    </div>
  `;
}
