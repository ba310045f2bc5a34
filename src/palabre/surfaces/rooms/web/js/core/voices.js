// Sentences that were heard, kept so that they can be heard again while their line is shown.

/** Sound that is kept, in bytes; beyond it the oldest replies are forgotten. */
export const MAX_VOICE_BYTES = 24 * 1024 * 1024;

export class Voices {
  #urls;
  #replies = new Map();
  #bytes = 0;

  /** @param urls {createObjectURL, revokeObjectURL} */
  constructor(urls) {
    this.#urls = urls;
  }

  /** Keys of the replies that can be heard again, oldest first. */
  get keys() {
    return [...this.#replies.keys()];
  }

  get bytes() {
    return this.#bytes;
  }

  /** Keep a sentence; returns its address. `isNeeded` tells which replies are still to be heard. */
  put({ key, nick, number }, blob, isNeeded = () => false) {
    const url = this.#urls.createObjectURL(blob);
    const reply = this.#replies.get(key) ?? { nick, sentences: [] };
    reply.sentences.push({ number, url, bytes: blob.size });
    this.#replies.set(key, reply);
    this.#bytes += blob.size;
    this.#makeRoom((other) => other === key || isNeeded(other));
    return url;
  }

  /** {nick, sentences: [{number, url}]} in the order of their numbers, or null. */
  get(key) {
    const reply = this.#replies.get(key);
    if (!reply) return null;
    const sentences = reply.sentences.toSorted((a, b) => a.number - b.number);
    return { nick: reply.nick, sentences: sentences.map(({ number, url }) => ({ number, url })) };
  }

  /** Forget the replies for which `isShown` is false. */
  keepOnly(isShown) {
    for (const key of this.keys) if (!isShown(key)) this.#forget(key);
  }

  #makeRoom(isKept) {
    for (const key of this.keys) {
      if (this.#bytes <= MAX_VOICE_BYTES) return;
      if (!isKept(key)) this.#forget(key);
    }
  }

  #forget(key) {
    for (const { url, bytes } of this.#replies.get(key).sentences) {
      this.#urls.revokeObjectURL(url);
      this.#bytes -= bytes;
    }
    this.#replies.delete(key);
  }
}
