import type { WebSocket } from "ws";

/** A NAT or a load balancer forgets a connection that says nothing for some minutes. */
const PING_MS = 10_000;
/** A minute, as kubectl: what was sent before a ping may take its time. */
const MOST_UNANSWERED = 6;

/**
 * Pings an open connection until it closes, and tells once when nothing has come back for `mostUnanswered` pings. Counted
 * in pings and not by the clock: a process that stood still has heard nothing either.
 */
export function keepAlive(
  socket: Pick<WebSocket, "on" | "ping" | "isPaused">,
  onSilent: () => void,
  { everyMs = PING_MS, mostUnanswered = MOST_UNANSWERED } = {},
): void {
  let unanswered = 0;
  const hear = () => {
    unanswered = 0;
  };
  socket.on("pong", hear);
  socket.on("message", hear);
  const timer = setInterval(() => {
    // Whoever reads no more hears nothing by its own wish.
    if (socket.isPaused) return hear();
    if (unanswered < mostUnanswered) {
      unanswered++;
      return socket.ping();
    }
    clearInterval(timer);
    onSilent();
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
}
