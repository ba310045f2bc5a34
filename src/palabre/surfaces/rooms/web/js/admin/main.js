// Start the pages of the administration: the browser's parts are handed on here and nowhere else.

import en from "../../i18n/admin_en.js";
import fr from "../../i18n/admin_fr.js";
import { render } from "../../vendor/preact.js";
import { effect, signal } from "../../vendor/signals.js";
import { routeOf } from "../core/admin_route.js";
import { Api } from "../core/api.js";
import { html } from "../html.js";
import { Preferences } from "../preferences.js";
import { SessionKeeper } from "../session.js";
import { language, learn, say, supportedLanguage } from "../texts.js";
import { forgetDrafts, isAnyDraft } from "./drafts.js";
import { Administration } from "./frame.js";

learn({ fr, en });

const timers = {
  setTimeout: (run, ms) => window.setTimeout(run, ms),
  clearTimeout: (timer) => window.clearTimeout(timer),
  now: () => Date.now(),
};

const preferences = new Preferences(() => window);
language.value = preferences.language ?? supportedLanguage(navigator.languages);

const api = new Api({
  load: (url, options) => fetch(url, options),
  now: timers.now,
  refused: () => keeper.lost(),
});
const keeper = new SessionKeeper(api, timers, preferences);

const route = signal(routeOf(location.hash));
window.addEventListener("hashchange", () => (route.value = routeOf(location.hash)));

// What was written waits while other pages are looked at, until the user ends the session.
effect(() => {
  if (keeper.session.value === null && keeper.hasLeft) forgetDrafts();
});
// A file that misses its place would be opened instead of this page.
for (const kind of ["dragover", "drop"])
  window.addEventListener(kind, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
window.addEventListener("beforeunload", (event) => isAnyDraft() && event.preventDefault());

function switchLanguage() {
  language.value = language.value === "fr" ? "en" : "fr";
  preferences.language = language.value;
}

effect(() => {
  document.documentElement.lang = language.value;
  document.title = say("admin.title", { page: say(`admin.page.${route.value.page}`) });
});

const props = { api, keeper, route, preferences, switchLanguage };
render(html`<${Administration} ...${props} />`, document.getElementById("app"));
