import type { IncomingMessage } from "node:http";
import { TOKEN_PREFIX } from "@liverl/contract/api-token";
import { PAGE_KEY_HEADER, PAGE_KEY_PROTOCOL, TICKET_PARAMETER } from "@liverl/contract/page-key";
import { type Auth, type Identity, type PageProof, SESSION_COOKIE } from "#auth/auth.ts";

export type Admission =
  | { kind: "public" }
  | ({ kind: "actor" } & Identity)
  | { kind: "refused"; status: 401 | 403 | 421; message: string };

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
/** What a browser needs before it has a cookie, and what says nothing about runs. */
const PUBLIC_PATHS = new Set(["/healthz", "/start", "/favicon.ico", "/icon.svg"]);
const PUBLIC_PREFIX = "/_next/static/";

/** Names under which this server may be addressed: anything else is a rebinding attack or a mistake. */
export function allowedHosts(port: number): ReadonlySet<string> {
  return new Set(
    ["127.0.0.1", "localhost", "[::1]"].flatMap((name) => [
      `${name}:${port}`,
      ...(port === 80 ? [name] : []),
    ]),
  );
}

/**
 * One decision for every request and every WebSocket upgrade: refused unless a rule lets it in. A cookie opens the empty page
 * alone (`isPage`); for all else the request must show the key that lies in our own pages' storage.
 */
export async function admit(
  auth: Auth,
  request: IncomingMessage,
  hosts: ReadonlySet<string>,
  isPage = false,
): Promise<Admission> {
  const { host, origin, authorization, cookie } = request.headers;
  if (host === undefined || !hosts.has(host.toLowerCase()))
    return { kind: "refused", status: 421, message: "This host name is not served here." };
  const fromUs =
    origin !== undefined &&
    hosts.has(origin.replace(/^http:\/\//, "").toLowerCase()) &&
    origin.startsWith("http://");
  if (origin !== undefined && !fromUs)
    return { kind: "refused", status: 403, message: "Requests from other sites are not answered." };
  const path = pathOf(request.url);
  const safe = SAFE_METHODS.has(request.method ?? "");
  if (
    safe &&
    path !== null &&
    (PUBLIC_PATHS.has(path) || (path.startsWith(PUBLIC_PREFIX) && !path.includes("..")))
  )
    return { kind: "public" };
  const upgrade = request.headers.upgrade !== undefined;
  if (authorization === undefined && !isFetchedByUs(request, isPage))
    return { kind: "refused", status: 403, message: "Requests from other sites are not answered." };
  const session = readCookie(cookie, SESSION_COOKIE);
  const proof = proofOf(request, isPage && safe && !upgrade);
  const identity = await auth.identify({ authorization, cookie: session, proof });
  if (identity === null)
    return {
      kind: "refused",
      status: 401,
      message: authorization?.includes(TOKEN_PREFIX)
        ? "This token is not known: it was revoked, has ended, or is of another LiveRL."
        : howToSignIn(path),
    };
  if (authorization === undefined && (!safe || upgrade) && !fromUs) {
    return {
      kind: "refused",
      status: 403,
      message: "This request does not come from a LiveRL page.",
    };
  }
  return { kind: "actor", ...identity };
}

/**
 * What a browser says of the page that caused a request (W3C Fetch Metadata). Another port is another origin, though cookies
 * do not tell them apart. A link from elsewhere may open a page, and nothing else.
 */
function isFetchedByUs({ headers }: IncomingMessage, isPage: boolean): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return true;
  return (
    isPage && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  );
}

const TICKET = new RegExp(`^(.+)[?&]${TICKET_PARAMETER}=(\\d{1,16})\\.([\\w-]{43})$`);

/** What a request shows beside its cookie: a header, a WebSocket's sub-protocol, or the ticket of a download. */
function proofOf(
  { method, headers, url = "" }: IncomingMessage,
  isPage: boolean,
): PageProof | null {
  const header = headers[PAGE_KEY_HEADER];
  if (typeof header === "string") return { kind: "key", key: header };
  if (headers.upgrade !== undefined) {
    const offered = headers["sec-websocket-protocol"]?.split(",").map((one) => one.trim()) ?? [];
    const named = offered.find((one) => one.startsWith(PAGE_KEY_PROTOCOL));
    return named === undefined ? null : { kind: "key", key: named.slice(PAGE_KEY_PROTOCOL.length) };
  }
  const [, place, until, signature] = (method === "GET" && TICKET.exec(url)) || [];
  if (place !== undefined && until !== undefined && signature !== undefined)
    return { kind: "ticket", untilMs: Number(until), signature, place };
  return isPage ? { kind: "none-needed" } : null;
}

/** Routes that trackers' clients log through: their users are told of the ingest token. */
const INGEST_PATHS = /^\/(?:api\/2\.0\/mlflow|api\/v1\/metrics|graphql|files\/)/;

function howToSignIn(path: string | null): string {
  if (path !== null && INGEST_PATHS.test(path))
    return "Send the ingest token, which lies in <data dir>/ingest.token: as MLFLOW_TRACKING_TOKEN, as WANDB_API_KEY, or with `Authorization: Bearer …`. The data dir is what `npm start -- --data-dir` names, .liverl by default.";
  return path?.startsWith("/api/")
    ? "Send the operator's token: `Authorization: Bearer $(cat <data dir>/operator.token)`. The data dir is what `npm start -- --data-dir` names, .liverl by default."
    : "Sign in with the link that `npm start` printed.";
}

/** The path as it was sent, without query; null for anything that is not a plain absolute path. */
function pathOf(url: string | undefined): string | null {
  const path = url?.split("?", 1)[0] ?? "";
  return path.startsWith("/") &&
    !path.startsWith("//") &&
    !path.includes("\\") &&
    !path.includes("%")
    ? path
    : null;
}

/** RFC 6265 §4.2: `name=value` pairs with "; " between them. Our own values need no decoding. */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return undefined;
}
