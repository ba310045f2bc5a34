// Moments as people read them.

import { language } from "../texts.js";

/** An ISO time in the user's words and zone; what is none stays as it is. */
export function when(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return String(iso ?? "");
  return date.toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });
}

/** A day `YYYY-MM-DD` in the user's words. */
export function day(date) {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return String(date);
  const parts = { weekday: "short", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
  return at.toLocaleDateString(language.value, parts);
}

export const clock = (iso) => {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit", hour12: false });
};
