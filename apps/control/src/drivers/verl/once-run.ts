import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { STOPPED } from "#drivers/verl/ensure-venv.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const LOOK_MS = 1_000;

export const isStopping = ({ status }: Run) => status === "stopping";

/** Aborted, as `STOPPED`, once the run is so. `forget` ends the looking. */
export function onceRun(
  ctx: Context,
  runId: string,
  isSo: (run: Run) => boolean,
): { signal: AbortSignal; forget: () => void } {
  const seen = new AbortController();
  const look = setInterval(() => {
    getRunRow(ctx, runId).then(
      (run) => isSo(run) && seen.abort(STOPPED),
      // The database is away: the next look asks again.
      () => undefined,
    );
  }, LOOK_MS);
  return { signal: seen.signal, forget: () => clearInterval(look) };
}
