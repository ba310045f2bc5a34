// Why the microphone gives nothing, as the code of a text.

const CODES = {
  NotAllowedError: "microphone.denied",
  NotFoundError: "microphone.missing",
  OverconstrainedError: "microphone.missing",
  NotReadableError: "microphone.taken",
  AbortError: "microphone.taken",
  SecurityError: "microphone.insecure",
};

/** {code, reason} for what the browser threw. */
export function captureProblem(error) {
  const code = CODES[error.name] ?? "microphone.broken";
  return { code, reason: error.message || error.name };
}
