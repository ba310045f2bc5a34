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

function toCommand({ name, usage, summary }) {
  const slashed = (text) => (text.startsWith("/") ? text : `/${text}`);
  return { name: slashed(name), usage: slashed(String(usage ?? name)), summary: String(summary ?? "") };
}
