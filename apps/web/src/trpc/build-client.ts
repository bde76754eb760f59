import type { AppRouter } from "@liverl/control/router";
import { createTRPCClient, createWSClient, httpBatchLink, splitLink, wsLink } from "@trpc/client";
import { connection } from "#trpc/connection.ts";
import { pageHeaders, socketProtocols } from "#trpc/page-key.ts";

/** Where nobody is signed in any more, the page shows nothing: the server says how to sign in. */
async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init);
  if (answer.status === 401) window.location.assign("/start");
  return answer;
}

/** One socket for every stream, HTTP batches for the rest: posted, as a spec may be longer than a URL and hold secrets. `origin` is `http://host:port`. */
export function buildClient(origin: string) {
  /** Shows the page's key. Here, as Node has no such class while it draws the first page. */
  class PageSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url, socketProtocols());
    }
  }
  const socket = createWSClient({
    url: `${origin.replace(/^http/, "ws")}/trpc`,
    WebSocket: PageSocket,
    retryDelayMs: (attempt) => Math.min(2_000, 200 * 2 ** attempt),
    // Only for a half-open socket: a server that dies closes it at once. Generous, so that a busy machine does not look dead.
    keepAlive: { enabled: true, intervalMs: 10_000, pongTimeoutMs: 10_000 },
    onClose: () => connection.closed(),
    onError: () => connection.closed(),
    onOpen: () => connection.opened(),
  });
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: wsLink({ client: socket }),
        false: httpBatchLink({
          url: `${origin}/trpc`,
          methodOverride: "POST",
          headers: pageHeaders,
          fetch: fetchSignedIn,
        }),
      }),
    ],
  });
}

/** For the first paint on the server, where nothing is asked: no socket is opened. */
export function buildIdleClient() {
  return createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: "http://127.0.0.1/trpc" })] });
}
