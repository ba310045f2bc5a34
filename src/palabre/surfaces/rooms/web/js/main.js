// Start the page: the browser's parts are handed to the client here and nowhere else.

import { effect, signal } from "../vendor/signals.js";
import { render } from "../vendor/preact.js";
import { openCapture } from "./capture.js";
import { Client, WANT_SESSION } from "./client.js";
import { loadCommands } from "./commands.js";
import { Api, wordsFor } from "./core/api.js";
import { Uploads } from "./core/uploads.js";
import { html } from "./html.js";
import { Microphone } from "./microphone.js";
import { Player } from "./player.js";
import { Preferences } from "./preferences.js";
import { SessionKeeper } from "./session.js";
import { knows, language, say, supportedLanguage } from "./texts.js";
import { App } from "./ui/app.js";
import { uploader } from "./uploader.js";
import { Verdicts } from "./verdicts.js";
import { Voice } from "./voice.js";

const timers = {
  setTimeout: (run, ms) => window.setTimeout(run, ms),
  clearTimeout: (timer) => window.clearTimeout(timer),
  now: () => Date.now(),
};

const preferences = new Preferences(() => window);
language.value = preferences.language ?? supportedLanguage(navigator.languages);

const client = new Client({ openSocket, preferences, timers, urls: URL });
const commands = signal([]);

const voice = new Voice({
  player: new Player(new Audio()),
  timers,
  urls: URL,
  preferences,
  isGrowing: (id) => client.isGrowing(id),
});
client.voice = voice;

const items = signal([]);
const uploads = new Uploads({
  deliver: uploader({
    tickets: client.tickets,
    language: () => language.value,
    newRequest: () => new XMLHttpRequest(),
    sendFrame: (frame) => client.sendFrame(frame),
    readBase64,
    learned: ({ maxBytes }) => (uploads.maxBytes = maxBytes),
  }),
  timers,
  urls: URL,
  isConnected: () => client.isConnected.value,
  changed: (list) => (items.value = list),
});
effect(() => {
  if (client.isConnected.value) uploads.pump();
});

const microphone = new Microphone({
  open: openCapture,
  now: timers.now,
  said: (wav) => uploads.add([speechFile(wav)], "speech"),
  begun: (isRecording) => voice.hold(isRecording),
});

const speechFile = (wav) => new File([wav], say("microphone.file"), { type: "audio/wav" });

const api = new Api({
  load: (url, options) => fetch(url, options),
  now: timers.now,
  refused: () => keeper.lost(),
});
const keeper = new SessionKeeper(api, timers, preferences);
if (preferences.hasSession) keeper.look().catch(() => {});

// Whoever has logged in comes in, under the session's name.
effect(() => {
  const session = keeper.session.value;
  if (!session || !WANT_SESSION.includes(client.status.peek().state)) return;
  preferences.nick = session.username;
  client.connect();
});
effect(() => {
  if (["locked", "ended"].includes(client.status.value.state)) keeper.lost();
});
api.get("api/session/rules").then(({ rooms }) => rooms === "session" && client.giveNames(), () => {});

const verdicts = new Verdicts({
  api,
  tickets: client.tickets,
  preferences,
  failed: ({ nick }, problem) =>
    client.notice("verdict.failed", { nick, reason: say(wordsFor(problem, knows)) }),
});

const isGallery = signal(location.hash === "#gallery");
window.addEventListener("hashchange", () => (isGallery.value = location.hash === "#gallery"));
const route = {
  isGallery,
  leave() {
    if (isGallery.value) location.hash = "";
    isGallery.value = false;
  },
};

function openSocket({ nick }) {
  const address = new URL("ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (nick) address.searchParams.set("nick", nick);
  address.searchParams.set("lang", language.value);
  return new WebSocket(address);
}

/** Without the head of a data: address. The browser does it beside the page, which stays awake. */
function readBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
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

const media = { uploads, items, voice, microphone };

client.connect();
render(
  html`<${App} ...${{ client, commands, preferences, switchLanguage, media, verdicts, keeper, route }} />`,
  document.getElementById("app"),
);
