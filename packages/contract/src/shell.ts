import { z } from "zod";

/** Cells of a terminal. */
export const TerminalSize = z.object({
  columns: z.number().int().min(1).max(1_000),
  rows: z.number().int().min(1).max(1_000),
});
export type TerminalSize = z.infer<typeof TerminalSize>;

/**
 * What a page says to a shell beside what is typed, as text frames of its WebSocket; what is typed goes as binary frames.
 * `taken`: so many bytes of output were shown. No more than {@link SHELL_WINDOW_BYTES} are under way, so that a command
 * which never stops writing drowns nobody.
 */
export const ShellAsk = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("resize"), ...TerminalSize.shape }),
  z.object({ kind: z.literal("taken"), bytes: z.number().int().positive() }),
]);
export type ShellAsk = z.infer<typeof ShellAsk>;

/** What a page is told beside the output, which comes as binary frames. `ended` is the last. */
export const ShellTold = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("opened"), sandbox: z.string() }),
  z.object({ kind: z.literal("ended"), reason: z.string() }),
]);
export type ShellTold = z.infer<typeof ShellTold>;

/** On the answer to an upgrade where a shell was opened; a refusal is told by `ended`. */
export const SHELL_OPENED_HEADER = "x-liverl-shell-opened";
export const SHELL_WINDOW_BYTES = 256 * 1024;
/** Of one message, either way. */
export const SHELL_MESSAGE_BYTES = 64 * 1024;

/** Path of a rollout's shell, the same on control and on the runner. */
export const shellPath = (rolloutId: string) =>
  `/api/v1/rollouts/${encodeURIComponent(rolloutId)}/shell`;
/** Its group: the rollout's id, which needs no decoding. */
export const SHELL_PATH = /^\/api\/v1\/rollouts\/([A-Za-z0-9._-]{1,140})\/shell$/;
