// Which files somebody wants to share: dropped, pasted or chosen, and what speaks against one.

import { IMAGE_KINDS } from "./media.js";

/** What a server takes unless it says otherwise (seed 000 §5.10), in bytes. */
export const MAX_FILE_BYTES = 12 * 1024 * 1024;

/** Files that are taken at once. */
export const MAX_FILES = 20;

/** What the seed allows for the name of a file, in characters. */
const MAX_NAME = 255;

export const hasFiles = (transfer) => [...(transfer?.types ?? [])].includes("Files");

/** The files of a drop, and the names of the folders in it, which cannot be sent. */
export function droppedFiles(transfer) {
  const folders = [...(transfer.items ?? [])]
    .map((item) => item.webkitGetAsEntry?.())
    .filter((entry) => entry?.isDirectory)
    .map((entry) => entry.name);
  const files = [...transfer.files].filter((file) => !folders.includes(file.name));
  return { files, folders };
}

/** The files of the clipboard. Where it holds words too, as office programs do, the words win. */
export function pastedFiles(transfer) {
  const hasWords = [...(transfer?.types ?? [])].includes("text/plain");
  return hasWords ? [] : [...(transfer?.files ?? [])];
}

/** Why `file` cannot be sent, as a code and what it needs, or null. */
export function objection(file, maxBytes = MAX_FILE_BYTES) {
  if (file.size === 0) return { code: "upload.empty", name: file.name };
  if (file.size <= maxBytes) return null;
  return { code: "upload.too_large", name: file.name, size: file.size, limit: maxBytes };
}

export const isPicture = (file) => IMAGE_KINDS.includes(file.type);

/** A name that the protocol takes; the end stays, as it tells the kind. */
export const shortName = (name) => (name.length <= MAX_NAME ? name : name.slice(-MAX_NAME));

/** A size for readers: [code, count], with one decimal from a megabyte on. */
export function sizeParts(bytes, language) {
  const units = [
    ["size.mb", 1024 * 1024, 1],
    ["size.kb", 1024, 0],
    ["size.bytes", 1, 0],
  ];
  const [code, unit, decimals] = units.find(([, least]) => bytes >= least) ?? units.at(-1);
  // A little too much must not read as exactly the limit.
  const places = decimals && bytes % unit !== 0 ? decimals : 0;
  const count = Math.ceil((bytes / unit) * 10 ** places) / 10 ** places;
  return [code, count.toLocaleString(language)];
}
