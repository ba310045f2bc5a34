// Sizes of files in the reader's words.

import { sizeParts } from "../core/files.js";
import { language, say } from "../texts.js";

export function sizeWords(bytes) {
  const [code, count] = sizeParts(bytes, language.value);
  return say(code, { count });
}
