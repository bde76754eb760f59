import { type ShellAsk, ShellTold, shellPath, type TerminalSize } from "@liverl/contract/shell";
import { socketProtocols } from "#trpc/page-key.ts";

/** Every so many bytes that were shown are reported, not each chunk. */
const REPORT_BYTES = 32 * 1024;

export interface ShellConnection {
  type(text: string): void;
  typeBytes(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  close(): void;
}

/** A shell in a trial's sandbox. `onOutput` calls `shown` when a chunk is on the screen: more comes only then. */
export function openShell(
  rolloutId: string,
  size: TerminalSize,
  {
    onOpened,
    onOutput,
    onEnded,
  }: {
    onOpened: (sandbox: string) => void;
    onOutput: (bytes: Uint8Array, shown: () => void) => void;
    /** Once, with words for people. */
    onEnded: (reason: string) => void;
  },
): ShellConnection {
  const query = new URLSearchParams({ columns: String(size.columns), rows: String(size.rows) });
  const origin = window.location.origin.replace(/^http/, "ws");
  const socket = new WebSocket(`${origin}${shellPath(rolloutId)}?${query}`, socketProtocols());
  socket.binaryType = "arraybuffer";
  let reason: string | null = null;
  let unreported = 0;
  const say = (ask: ShellAsk) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(ask));
  };
  socket.addEventListener("message", ({ data }) => {
    if (data instanceof ArrayBuffer) {
      onOutput(new Uint8Array(data), () => {
        unreported += data.byteLength;
        if (unreported < REPORT_BYTES) return;
        say({ kind: "taken", bytes: unreported });
        unreported = 0;
      });
      return;
    }
    const told = ShellTold.safeParse(JSON.parse(String(data))).data;
    if (told?.kind === "opened") onOpened(told.sandbox);
    if (told?.kind === "ended") reason = told.reason;
  });
  socket.addEventListener("close", ({ code }) =>
    onEnded(
      reason ??
        (code === 1006
          ? "The connection to LiveRL or its trial runner broke, or this trial is not known there."
          : "The shell has ended."),
    ),
  );
  const encoder = new TextEncoder();
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
  };
  return {
    type: (text) => send(encoder.encode(text)),
    typeBytes: (bytes) => send(new Uint8Array(bytes)),
    resize: (next) => say({ kind: "resize", ...next }),
    close: () => socket.close(),
  };
}
