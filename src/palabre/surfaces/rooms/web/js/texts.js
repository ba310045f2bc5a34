// What the user reads, in French or English.

import en from "../i18n/en.js";
import fr from "../i18n/fr.js";
import { signal } from "../vendor/signals.js";

const TEXTS = { fr: { ...fr }, en: { ...en } };

export const language = signal("fr");

/** The first language of `wished` that there is, else English. */
export function supportedLanguage(wished) {
  const codes = wished.map((code) => code.toLowerCase().slice(0, 2));
  return codes.find((code) => Object.hasOwn(TEXTS, code)) ?? "en";
}

/** Take in the texts of a part of the page that is loaded later, as {fr, en}. */
export function learn(texts) {
  for (const code of Object.keys(TEXTS)) Object.assign(TEXTS[code], texts[code]);
}

/** Whether there is a text `code`. */
export const knows = (code) => Object.hasOwn(TEXTS.en, code);

/** The text `code` in the user's language, with `data` for its placeholders. */
export function say(code, data = {}) {
  return TEXTS[language.value][code].replace(/\{(\w+)\}/g, (_, name) => data[name]);
}
