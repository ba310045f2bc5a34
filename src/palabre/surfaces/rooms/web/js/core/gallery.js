// What the server keeps of generated pictures and music, read with care.

/** The two shelves, and the command that fills each. */
export const SHELVES = {
  images: { command: "/imagine" },
  audio: { command: "/compose" },
};

export const addressOf = (shelf) => `api/v2/media/${shelf}`;

const text = (value) => (typeof value === "string" ? value : "");

/** The pieces of a shelf, newest first as the server gives them; what has no file is left out. */
export function piecesOf(body, shelf) {
  const rows = Array.isArray(body?.data) ? body.data : [];
  return rows.filter((row) => text(row?.filename)).map((row) => pieceOf(row, shelf));
}

function pieceOf({ id, prompt, nick, createdAt, filename }, shelf) {
  return {
    id: text(id) || filename,
    prompt: text(prompt).trim(),
    nick: text(nick),
    at: Number.isNaN(Date.parse(createdAt)) ? null : Date.parse(createdAt),
    filename,
    url: `${addressOf(shelf)}/${encodeURIComponent(filename)}`,
  };
}

/** The line that makes a piece like this one again. */
export const commandFor = (shelf, { prompt }) => `${SHELVES[shelf].command} ${prompt}`.trim();

/**
 * The pieces of a shelf as {pieces}, or why there are none as {problem: code of a text}.
 *
 * @param load (url) => Promise<Response>, such as fetch
 */
export async function loadShelf(load, shelf) {
  try {
    const response = await load(addressOf(shelf));
    if (response.status === 404) return { problem: "gallery.absent" };
    if (!response.ok) return { problem: "gallery.failed" };
    return { pieces: piecesOf(await response.json(), shelf) };
  } catch {
    return { problem: "gallery.failed" };
  }
}
