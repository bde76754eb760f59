import { AppError } from "@liverl/contract/app-error";
import { TerminalSize } from "@liverl/contract/shell";
import { z } from "zod";
import type { RunnerContext } from "#context.ts";
import type { Shell } from "#shells/attempt-shells.ts";

const Query = z.object({
  columns: z.coerce.number().pipe(TerminalSize.shape.columns),
  rows: z.coerce.number().pipe(TerminalSize.shape.rows),
  actor: z.string().min(1).max(100),
});

/** A shell that was asked for: it is there, or why it is not, in words for people. */
export type OpenedShell =
  | { rolloutId: string; actor: string; shell: Shell; refusal: null }
  | { rolloutId: string; actor: string; shell: null; refusal: string };

/** Opens a shell in the sandbox that a trial has now. Never throws. */
export async function openShell(
  ctx: Pick<RunnerContext, "trials" | "log">,
  { rolloutId, query }: { rolloutId: string; query: URLSearchParams },
): Promise<OpenedShell> {
  const actor = query.get("actor") ?? "";
  try {
    const { columns, rows } = readQuery(query);
    const shells = shellsOf(ctx, rolloutId);
    const shell = await shells.openOne(actor, { columns, rows });
    ctx.log.info({ rolloutId, actor, sandbox: shell.sandbox }, "a shell was opened");
    return { rolloutId, actor, shell, refusal: null };
  } catch (error) {
    if (error instanceof AppError)
      return { rolloutId, actor, shell: null, refusal: error.userMessage };
    ctx.log.warn({ err: error, rolloutId }, "a shell could not be opened");
    const refusal = "The shell could not be opened; the runner's log says why.";
    return { rolloutId, actor, shell: null, refusal };
  }
}

function readQuery(query: URLSearchParams) {
  const asked = Query.safeParse(Object.fromEntries(query));
  if (asked.success) return asked.data;
  throw new AppError("BAD_REQUEST", {
    userMessage: "A shell is asked for with columns and rows from 1 to 1000, and with who asks.",
  });
}

function shellsOf({ trials }: Pick<RunnerContext, "trials">, rolloutId: string) {
  const trial = trials.get(rolloutId);
  if (!trial) throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${rolloutId}.` });
  if (trial.inSandbox === null)
    throw new AppError("CONFLICT", {
      userMessage: "This trial has no sandbox now: it waits, it has ended, or its task needs none.",
    });
  const { runner, shells } = trial.inSandbox;
  if (runner !== null)
    throw new AppError("CONFLICT", {
      userMessage: `The joined runner ${runner} has this sandbox: look into it on that host.`,
    });
  return shells;
}
