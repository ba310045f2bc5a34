// Pictures and sounds of the server: known kinds only, and freed when their line goes.

export const IMAGE_KINDS = ["image/png", "image/jpeg", "image/webp", "image/gif"];
export const AUDIO_KINDS = [
  "audio/wav",
  "audio/x-wav",
  "audio/mpeg",
  "audio/ogg",
  "audio/mp4",
  "audio/flac",
  "audio/x-flac",
];

const PARTS = {
  image: { data: "imageData", mime: "imageMime", kinds: IMAGE_KINDS },
  music: { data: "audioData", mime: "audioMime", kinds: AUDIO_KINDS },
  audio: { data: "data", mime: "mimeType", kinds: AUDIO_KINDS },
};

/** The bytes of a media frame as a Blob, or null when its kind or its base64 is not accepted. */
export function blobOf(frame) {
  const part = PARTS[frame.type];
  const mime = frame[part.mime].toLowerCase().split(";")[0].trim();
  if (!part.kinds.includes(mime)) return null;
  try {
    const bytes = Uint8Array.from(atob(frame[part.data]), (sign) => sign.charCodeAt(0));
    return new Blob([bytes], { type: mime });
  } catch {
    return null;
  }
}

export const isMedia = (frame) => Object.hasOwn(PARTS, frame.type);

/** Addresses of blobs in use; what no line shows any more is revoked. */
export class MediaShelf {
  #urls;
  #held = new Set();

  /** @param urls {createObjectURL, revokeObjectURL} */
  constructor(urls) {
    this.#urls = urls;
  }

  put(blob) {
    const url = this.#urls.createObjectURL(blob);
    this.#held.add(url);
    return url;
  }

  /** Revoke all but the addresses in `used`. */
  keepOnly(used) {
    for (const url of this.#held) {
      if (used.has(url)) continue;
      this.#urls.revokeObjectURL(url);
      this.#held.delete(url);
    }
  }

  get size() {
    return this.#held.size;
  }
}
