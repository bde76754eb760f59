import type { AppRouter } from "@liverl/control/router";
import { createTRPCClient, createWSClient, httpBatchLink, splitLink, wsLink } from "@trpc/client";
import { connection } from "#trpc/connection.ts";

/** One socket for every stream, HTTP batches for the rest: posted, as a spec may be longer than a URL and hold secrets. `origin` is `http://host:port`. */
export function buildClient(origin: string) {
  const socket = createWSClient({
    url: `${origin.replace(/^http/, "ws")}/trpc`,
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
        false: httpBatchLink({ url: `${origin}/trpc`, methodOverride: "POST" }),
      }),
    ],
  });
}

/** For the first paint on the server, where nothing is asked: no socket is opened. */
export function buildIdleClient() {
  return createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: "http://127.0.0.1/trpc" })] });
}
