// Feedback as the server keeps it: a vote's message is JSON, older ones are plain words.

const VOTES = new Set(["up", "down", "pin", "react"]);

/** {vote, response, prompt, text}: a vote with the answer that it is for, or plain `text`. */
export function feedbackOf({ kind, message }) {
  const said = typeof message === "string" ? parsed(message) : message;
  const vote = said?.vote ?? said?.signal;
  if (said === null || typeof said !== "object" || !VOTES.has(vote))
    return { vote: null, response: "", prompt: "", text: String(message ?? "") };
  const words = (value) => (typeof value === "string" ? value : "");
  return { vote, kind, response: words(said.response), prompt: words(said.prompt), text: "" };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
