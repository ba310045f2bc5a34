// What is written and not saved: it waits here while its page is left, until the session is.

import { signal } from "../../vendor/signals.js";

const drafts = new Map();

/** The draft at `place` as a signal; see core/draft.js. */
export function draftAt(place) {
  if (!drafts.has(place)) drafts.set(place, signal({}));
  return drafts.get(place);
}

export const forgetDrafts = () => drafts.clear();

/** Whether something would be lost with the page. */
export const isAnyDraft = () =>
  [...drafts.values()].some(({ value }) => Object.keys(value).length > 0);
