// Start the page: the browser's parts are handed to the client here and nowhere else.

import { effect, signal } from "../vendor/signals.js";
import { render } from "../vendor/preact.js";
import { Client } from "./client.js";
import { loadCommands } from "./commands.js";
import { html } from "./html.js";
import { Preferences } from "./preferences.js";
import { language, say, supportedLanguage } from "./texts.js";
import { App } from "./ui/app.js";

const timers = {
  setTimeout: (run, ms) => window.setTimeout(run, ms),
  clearTimeout: (timer) => window.clearTimeout(timer),
  now: () => Date.now(),
};

const preferences = new Preferences(() => window);
language.value = preferences.language ?? supportedLanguage(navigator.languages);

const client = new Client({ openSocket, preferences, timers, urls: URL });
const commands = signal([]);

function openSocket({ nick }) {
  const address = new URL("ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (nick) address.searchParams.set("nick", nick);
  address.searchParams.set("lang", language.value);
  return new WebSocket(address);
}

/** The server's lines come in the language of the connection, so a new one is made. */
function switchLanguage() {
  language.value = language.value === "fr" ? "en" : "fr";
  preferences.language = language.value;
  client.connect();
}

effect(() => {
  document.documentElement.lang = language.value;
  loadCommands(fetch, language.value).then((list) => (commands.value = list));
});

effect(() => {
  const { unread, channel } = client.room.value;
  document.title = (unread ? `(${unread}) ` : "") + say("app.title", { channel });
});

const look = () => client.look(document.hidden || !document.hasFocus());
document.addEventListener("visibilitychange", look);
window.addEventListener("focus", look);
window.addEventListener("blur", look);

client.connect();
render(
  html`<${App} ...${{ client, commands, preferences, switchLanguage }} />`,
  document.getElementById("app"),
);
