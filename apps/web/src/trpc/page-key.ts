import {
  PAGE_KEY_HEADER,
  PAGE_KEY_PROTOCOL,
  PAGE_KEY_STORED,
  SOCKET_PROTOCOL,
  TICKET_LIFE_MS,
  TICKET_PARAMETER,
  ticketText,
} from "@liverl/contract/page-key";

/** Empty where this browser was not signed in by a link, or may store nothing. */
function readPageKey(): string {
  try {
    return localStorage.getItem(PAGE_KEY_STORED) ?? "";
  } catch {
    return "";
  }
}

export const pageHeaders = (): Record<string, string> => ({ [PAGE_KEY_HEADER]: readPageKey() });

export const socketProtocols = (): string[] => [
  SOCKET_PROTOCOL,
  `${PAGE_KEY_PROTOCOL}${readPageKey()}`,
];

/** Has the browser download what a path of the API answers with: a link can send no header, so it is signed for a minute. */
export async function startDownload(path: string): Promise<void> {
  const link = document.createElement("a");
  link.href = await signedPath(path);
  link.download = "";
  link.click();
}

async function signedPath(path: string): Promise<string> {
  // Half of its life: clocks of server and browser may differ where a tunnel is between them.
  const untilMs = Date.now() + TICKET_LIFE_MS / 2;
  const text = new TextEncoder();
  const digest = await crypto.subtle.digest("SHA-256", text.encode(readPageKey()));
  const key = await crypto.subtle.importKey(
    "raw",
    text.encode(hexOf(digest)),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const signature = await crypto.subtle.sign("HMAC", key, text.encode(ticketText(untilMs, path)));
  const ticket = `${TICKET_PARAMETER}=${untilMs}.${base64UrlOf(signature)}`;
  return `${path}${path.includes("?") ? "&" : "?"}${ticket}`;
}

const hexOf = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

const base64UrlOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
