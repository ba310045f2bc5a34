// Waiting times between attempts to reconnect (seed 000 §5.4).

export const INITIAL_DELAY_MS = 1_000;
export const MAX_DELAY_MS = 30_000;
export const MAX_ATTEMPTS = 20;

/** Milliseconds before attempt `attempt` (from 1), or null when there is no such attempt. */
export function delayBefore(attempt) {
  if (attempt < 1 || attempt > MAX_ATTEMPTS) return null;
  return Math.min(INITIAL_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
}
