import type { ScaffoldEnding, ScaffoldWork } from "#scaffolds/harbor/scaffold.ts";
import type { GatewayOptions } from "#scaffolds/tunnel/session-gateway.ts";
import { TrialError } from "#trials/trial-error.ts";

/** What leads an agent to its session. */
export interface SessionWay {
  /** Why the agent could not go on when its signal was aborted, as its time was over; null where it could. */
  readonly stall: string | null;
  close(): void;
}

/**
 * Opens an agent's way to its session and plays it until it ends, its turns are used or its time is over. Throws
 * `ApiResponseStalledError` where it waited for a model that was gone when its time was over: that is no lateness of its own.
 */
export async function playInSession<Way extends SessionWay>(
  name: string,
  { session, maxTurns, progress, ...work }: ScaffoldWork,
  open: (options: GatewayOptions & { signal: AbortSignal }) => Promise<Way>,
  play: (way: Way, signal: AbortSignal) => Promise<ScaffoldEnding>,
): Promise<ScaffoldEnding> {
  const overTurns = new AbortController();
  const way = await open({
    ...session,
    signal: work.signal,
    mayCall: () => {
      if (progress.turns < maxTurns) return true;
      overTurns.abort(new Error("no turn is left"));
      return false;
    },
    onTurn: () => {
      progress.turns++;
    },
  });
  try {
    return await play(way, AbortSignal.any([work.signal, overTurns.signal]));
  } catch (error) {
    if (work.signal.aborted && !(error instanceof TrialError) && way.stall !== null)
      throw new TrialError(
        "ApiResponseStalledError",
        `${name} waited for its model when the time was over: ${way.stall}.`,
        error,
      );
    if (!overTurns.signal.aborted || work.signal.aborted) throw error;
    return { termination: "max-turns", exception: null };
  } finally {
    way.close();
  }
}
