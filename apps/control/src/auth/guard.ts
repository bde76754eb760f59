import type { IncomingMessage } from "node:http";
import { TOKEN_PREFIX } from "@liverl/contract/api-token";
import { type Auth, type Identity, SESSION_COOKIE } from "#auth/auth.ts";

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
 * One decision for every request and every WebSocket upgrade: refused unless a rule lets it in.
 * A cookie alone may only read, unless the request says that it comes from our own pages.
 */
export async function admit(
  auth: Auth,
  request: IncomingMessage,
  hosts: ReadonlySet<string>,
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
  const session = readCookie(cookie, SESSION_COOKIE);
  const identity = await auth.identify({ authorization, cookie: session });
  if (identity === null)
    return {
      kind: "refused",
      status: 401,
      message: authorization?.includes(TOKEN_PREFIX)
        ? "This token is not known: it was revoked, has ended, or is of another LiveRL."
        : howToSignIn(path),
    };
  const upgrade = request.headers.upgrade !== undefined;
  if (authorization === undefined && (!safe || upgrade) && !fromUs) {
    return {
      kind: "refused",
      status: 403,
      message: "This request does not come from a LiveRL page.",
    };
  }
  return { kind: "actor", ...identity };
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
