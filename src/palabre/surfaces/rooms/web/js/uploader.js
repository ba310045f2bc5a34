// Brings one file to the server: by HTTP with a ticket, or in the seed's frame where there is none.

const UPLOADS = "api/v2/uploads";

/**
 * @param tickets Tickets
 * @param language () => "fr" | "en"
 * @param newRequest () => XMLHttpRequest
 * @param sendFrame (frame) => boolean
 * @param readBase64 (file) => Promise<string>
 * @param learned ({maxBytes}) => void, when the server tells its limit
 * @returns what Uploads calls `deliver`
 */
export function uploader({ tickets, language, newRequest, sendFrame, readBase64, learned }) {
  let hasHttp = true;
  const inFrame = (file) => sendInFrame(file, { sendFrame, readBase64 });

  return async function deliver(file, purpose, { progress, signal }) {
    for (let tries = 0; hasHttp && tries < 2; tries += 1) {
      const ticket = await tickets.take();
      if (signal.aborted) return { status: "cancelled" };
      if (ticket === "offline") return { status: "offline" };
      if (ticket === "busy") return { status: "busy", waitS: 10 };
      if (ticket === null) break;
      learned(ticket);
      const form = formOf(file, purpose);
      const address = `${UPLOADS}?lang=${language()}`;
      const answer = await post(newRequest(), address, { ticket, form, progress, signal });
      if (answer.status === 404) hasHttp = false;
      else if (answer.status !== 401 || tries > 0) return outcomeOf(answer);
      else tickets.forget();
    }
    return inFrame(file);
  };
}

/** What the file is for stands before the file, so that the server knows it when that comes. */
function formOf(file, purpose) {
  const form = new FormData();
  form.append("purpose", purpose);
  form.append("file", file, file.name);
  return form;
}

function post(request, address, { ticket, form, progress, signal }) {
  return new Promise((resolve) => {
    const answer = () => resolve({ status: request.status, ...bodyOf(request) });
    request.open("POST", address);
    request.setRequestHeader("x-upload-ticket", ticket.ticket);
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onload = answer;
    request.onerror = () => resolve({ status: 0 });
    request.onabort = () => resolve({ status: 0 });
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

function bodyOf(request) {
  const waitS = Number(request.getResponseHeader("retry-after")) || undefined;
  try {
    const { message, error } = JSON.parse(request.responseText);
    return { waitS, message: typeof message === "string" ? message : null, error };
  } catch {
    return { waitS, message: null };
  }
}

/** Too many at once (429) and too many at work (503) pass by themselves. */
function outcomeOf({ status, message, waitS }) {
  if (status >= 200 && status < 300) return { status: "sent" };
  if (status === 0) return { status: "lost" };
  if (status === 429 || status === 503) return { status: "busy", message, waitS };
  return { status: "refused", message, httpStatus: status };
}

async function sendInFrame(file, { sendFrame, readBase64 }) {
  const data = await readBase64(file);
  const [filename, mimeType] = [file.name.slice(-255), file.type.slice(0, 100)];
  const isSent = sendFrame({ type: "upload", filename, mimeType, data, size: file.size });
  return { status: isSent ? "sent" : "offline" };
}
