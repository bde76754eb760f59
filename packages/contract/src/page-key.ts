/**
 * What a signed-in page sends beside the browser's cookie. A browser sends cookies of one port to every port of that host, so
 * a cookie alone opens nothing but the empty page; the key lies in the page's own storage, which no other port can read.
 */
export const PAGE_KEY_HEADER = "x-liverl-page";
/** Where the sign-in page puts it in `localStorage`. */
export const PAGE_KEY_STORED = "liverl-page-key";
/** Sub-protocols of a WebSocket, which can send no header: ours, and one that carries the key. */
export const SOCKET_PROTOCOL = "liverl";
export const PAGE_KEY_PROTOCOL = "liverl-page.";

/** Last parameter of a link to a download, which can send no header either: `<time>.<signature>`. */
export const TICKET_PARAMETER = "liverl-ticket";
export const TICKET_LIFE_MS = 60_000;
/** What the signature of a ticket is made of. `place` is the path with its query. */
export const ticketText = (untilMs: number, place: string) => `${untilMs}\n${place}`;
