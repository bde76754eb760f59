import {
  SHELL_MESSAGE_BYTES,
  SHELL_WINDOW_BYTES,
  ShellAsk,
  type ShellTold,
} from "@liverl/contract/shell";
import type { RawData, WebSocket } from "ws";
import type { RunnerContext } from "#context.ts";
import type { Shell } from "#shells/attempt-shells.ts";
import type { OpenedShell } from "#shells/open-shell.ts";

/** Nobody has typed for so long: it is not looked at. */
export const IDLE_MS = 15 * 60_000;
/** A page that is gone without a word is noticed within two of these. */
const PING_MS = 15_000;

/** One shell over one WebSocket, to its end; whatever ends either ends both. Never throws. */
export async function serveShell(
  { log }: Pick<RunnerContext, "log">,
  client: WebSocket,
  { shell, refusal, rolloutId, actor }: OpenedShell,
  idleMs = IDLE_MS,
): Promise<void> {
  client.on("error", () => client.terminate());
  if (shell === null) return end(client, refusal);
  try {
    tell(client, { kind: "opened", sandbox: shell.sandbox });
    const reason = await conduct(client, shell, idleMs);
    end(client, reason);
    log.info({ rolloutId, actor, sandbox: shell.sandbox, reason }, "a shell was closed");
  } finally {
    await shell.close();
  }
}

/** Carries keys and output until the shell ends, may not go on, or is forgotten; resolves to why, in words. */
async function conduct(client: WebSocket, shell: Shell, idleMs: number): Promise<string> {
  const { terminal, ending } = shell;
  const window = new Window();
  let typedAt = performance.now();
  let isThere = true;
  client.on("pong", () => {
    isThere = true;
  });
  client.on("message", (message: RawData, isBinary: boolean) => {
    if (isBinary) {
      typedAt = performance.now();
      // A page that types faster than a shell reads waits for it.
      if (!terminal.input.write(message)) {
        client.pause();
        terminal.input.once("drain", () => client.resume());
      }
      return;
    }
    const ask = ShellAsk.safeParse(parse(String(message))).data;
    if (ask?.kind === "taken") window.free(ask.bytes);
    if (ask?.kind === "resize") void terminal.resize(ask);
  });
  let resolve: (reason: string) => void = () => undefined;
  const over = new Promise<string>((settle) => {
    resolve = settle;
  });
  client.once("close", () => resolve("The page was left."));
  if (client.readyState !== client.OPEN) resolve("The page was left.");
  const stop = () => resolve(String(ending.reason));
  ending.addEventListener("abort", stop, { once: true });
  if (ending.aborted) stop();
  const timer = setInterval(
    () => {
      if (performance.now() - typedAt > idleMs)
        resolve(`Nothing was typed for ${Math.round(idleMs / 60_000)} minutes.`);
      if (!isThere) client.terminate();
      isThere = false;
      client.ping();
    },
    Math.min(PING_MS, idleMs),
  );
  void sendOutput(client, shell, window).then(() => resolve("The shell has ended."));
  try {
    return await over;
  } finally {
    clearInterval(timer);
  }
}

/** Reads no more of the terminal than the page has shown, but for one window. */
async function sendOutput(client: WebSocket, { terminal }: Shell, window: Window): Promise<void> {
  try {
    for await (const chunk of terminal.output as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += SHELL_MESSAGE_BYTES) {
        const part = chunk.subarray(at, at + SHELL_MESSAGE_BYTES);
        await window.take(part.length);
        client.send(part);
      }
    }
  } catch {
    // Its connection broke: for whoever looks at it the shell has ended.
  }
}

/** Bytes that were sent and not yet shown. */
class Window {
  #under = 0;
  #wake: (() => void) | null = null;

  async take(bytes: number): Promise<void> {
    while (this.#under > 0 && this.#under + bytes > SHELL_WINDOW_BYTES)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#under += bytes;
  }

  free(bytes: number): void {
    this.#under = Math.max(0, this.#under - bytes);
    this.#wake?.();
  }
}

function tell(client: WebSocket, told: ShellTold): void {
  if (client.readyState === client.OPEN) client.send(JSON.stringify(told));
}

function end(client: WebSocket, reason: string): void {
  tell(client, { kind: "ended", reason });
  client.close(1000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
