// The browser's microphone as a stream of samples.

const WORKLET = new URL("./worklet/capture.js", import.meta.url);

const WISHES = {
  audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
};

/**
 * Open the microphone; `onPiece` gets pieces of samples (Float32Array).
 *
 * @returns {Promise<{hz: number, close: () => void}>}
 * @throws what the browser throws, see `captureProblem`
 */
export async function openCapture(onPiece) {
  if (!navigator.mediaDevices) throw new DOMException("", "SecurityError");
  const stream = await navigator.mediaDevices.getUserMedia(WISHES);
  const context = new AudioContext();
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    context.close();
  };
  try {
    await context.audioWorklet.addModule(WORKLET);
    await context.resume();
    const node = new AudioWorkletNode(context, "capture", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => onPiece(data);
    context.createMediaStreamSource(stream).connect(node);
  } catch (error) {
    close();
    throw error;
  }
  return { hz: context.sampleRate, close };
}
