// The server's slash commands, for completion. A server without the list has none to complete.

/**
 * @param load (url) => Promise<Response>, such as fetch
 * @returns {Promise<{name: string, usage: string, summary: string}[]>}
 */
export async function loadCommands(load, language) {
  try {
    const response = await load(`api/v2/commands?lang=${language}`);
    if (!response.ok) return [];
    const body = await response.json();
    return (body.data ?? body).filter((command) => typeof command.name === "string").map(toCommand);
  } catch {
    return [];
  }
}

/** `usage` holds the arguments alone; the slash may be there or not. */
function toCommand({ name, usage, summary }) {
  const slashed = `/${name.replace(/^\//, "")}`;
  const label = `${slashed} ${usage ?? ""}`.trim();
  return { name: slashed, usage: label, summary: String(summary ?? "") };
}
