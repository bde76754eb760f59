import { AppError } from "@liverl/contract/app-error";

const FIRST = 0xe000;
const LAST = 0xf8ff;

/** A private-use character that does not occur in what is rendered: it marks a place there. Throws BAD_REQUEST. */
export function chooseAnchor(rendered: unknown): string {
  const text = JSON.stringify(rendered);
  for (let code = FIRST; code <= LAST; code++) {
    const anchor = String.fromCharCode(code);
    if (!text.includes(anchor)) return anchor;
  }
  throw new AppError("BAD_REQUEST", {
    userMessage: "The messages use every private-use character; leave one of them free.",
  });
}
