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
    return new Blob([bytesOf(frame[part.data])], { type: mime });
  } catch {
    return null;
  }
}

/** Browsers that can do it themselves take a tenth of the time, which counts for pictures. */
function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const signs = atob(base64);
  const bytes = new Uint8Array(signs.length);
  for (let index = 0; index < signs.length; index += 1) bytes[index] = signs.charCodeAt(index);
  return bytes;
}

/** What a line shows; what is said aloud has no line of its own. */
export const isMedia = (frame) => frame.type === "image" || frame.type === "music";

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
