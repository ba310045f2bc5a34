// What the user reads, in French or English.

import en from "../i18n/en.js";
import fr from "../i18n/fr.js";
import { signal } from "../vendor/signals.js";

const TEXTS = { fr, en };

export const language = signal("fr");

/** The first language of `wished` that there is, else English. */
export function supportedLanguage(wished) {
  const codes = wished.map((code) => code.toLowerCase().slice(0, 2));
  return codes.find((code) => Object.hasOwn(TEXTS, code)) ?? "en";
}

/** The text `code` in the user's language, with `data` for its placeholders. */
export function say(code, data = {}) {
  return TEXTS[language.value][code].replace(/\{(\w+)\}/g, (_, name) => data[name]);
}
