// What the page lets be heard: the switch, the volume, who is muted, and who speaks now.

import { signal } from "../vendor/signals.js";
import { blobOf } from "./core/media.js";
import { Speech } from "./core/speech.js";
import { Voices } from "./core/voices.js";

export class Voice {
  isOn;
  volume;
  muted;
  /** {key, nick} of what is heard now, or null. */
  speaking = signal(null);
  isBusy = signal(false);
  /** Whose words the browser keeps back until a click, or null. */
  blocked = signal(null);
  /** Keys of the replies that can be heard again. */
  heard = signal(new Set());
  #speech;
  #voices;
  #player;
  #preferences;

  /**
   * @param player {play, stop, pause, resume, volume}
   * @param preferences {isSilent, volume, muted}
   * @param urls {createObjectURL, revokeObjectURL}
   * @param isGrowing (replyId) => boolean
   */
  constructor({ player, timers, urls, preferences, isGrowing }) {
    this.#player = player;
    this.#preferences = preferences;
    this.isOn = signal(!preferences.isSilent);
    this.volume = signal(preferences.volume);
    this.muted = signal(new Set(preferences.muted));
    player.volume = this.volume.value;
    this.#voices = new Voices(urls);
    this.#speech = new Speech({ player, timers, isGrowing, changed: () => this.#report() });
  }

  /** An `audio` frame came; what is not to be heard is not even unpacked. */
  take(frame) {
    const key = frame.replyId ?? `nick ${frame.nick}`;
    if (!this.isOn.value || this.muted.value.has(frame.nick) || this.#speech.isDropped(key)) return;
    const blob = blobOf(frame);
    if (blob === null) return;
    const sentence = { key, nick: frame.nick, number: frame.number ?? frame.seq ?? 0 };
    const url = this.#voices.put(sentence, blob, (other) => this.#speech.isWaiting(other));
    this.#speech.take({ ...sentence, url });
  }

  turn(isOn) {
    this.isOn.value = isOn;
    this.#preferences.isSilent = !isOn;
    if (!isOn) this.#speech.hush();
  }

  setVolume(volume) {
    this.volume.value = volume;
    this.#preferences.volume = volume;
    this.#player.volume = volume;
  }

  mute(nick, isMuted) {
    const muted = new Set(this.muted.value);
    if (isMuted) muted.add(nick);
    else muted.delete(nick);
    this.muted.value = muted;
    this.#preferences.muted = [...muted];
    if (isMuted) this.#speech.mute(nick);
  }

  replay(key) {
    const reply = this.#voices.get(key);
    if (reply) this.#speech.replay(key, reply.nick, reply.sentences);
  }

  /** Nothing more of the reply, which was broken off. */
  drop(key) {
    this.#speech.drop(key);
  }

  /** Nothing more of what waits, nor of the replies `keys`. */
  hush(keys) {
    this.#speech.hush(keys);
  }

  hold(isHeld) {
    this.#speech.hold(isHeld);
  }

  unblock() {
    this.#speech.unblock();
  }

  /** A reply ended. */
  nudge() {
    this.#speech.nudge();
  }

  /** Free what no line shows any more; `isShown` tells for a reply's id. */
  tidy(isShown) {
    this.#voices.keepOnly((key) => isShown(key) || this.#speech.isWaiting(key));
    this.#report();
  }

  #report() {
    const speaking = this.#speech.speaking;
    if (speaking?.key !== this.speaking.value?.key) this.speaking.value = speaking;
    this.isBusy.value = this.#speech.isBusy;
    this.blocked.value = this.#speech.blocked;
    const { keys } = this.#voices;
    const isSame =
      keys.length === this.heard.value.size && keys.every((key) => this.heard.value.has(key));
    if (!isSame) this.heard.value = new Set(keys);
  }
}
