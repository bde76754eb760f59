"use client";
import { useEffect, useState } from "react";
import { useTRPCClient } from "#trpc/client.tsx";

const EVERY_MS = 1_000;
const RETRY_MS = 3_000;

export interface TerminalText {
  path: string | null;
  text: string;
  isCut: boolean;
  isLive: boolean;
}

/** What a trial's terminal shows, growing while the trial goes on. Null until the first answer; the error of the newest look, if it failed. */
export function useTerminalText(rolloutId: string): {
  shown: TerminalText | null;
  error: unknown;
} {
  const client = useTRPCClient();
  const [shown, setShown] = useState<TerminalText | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const over = new AbortController();
    void follow();
    return () => over.abort();

    async function follow() {
      let from = 0;
      let known: TerminalText | null = null;
      while (!over.signal.aborted) {
        try {
          const part = await client.trajectory.terminal.query(
            { rolloutId, from },
            { signal: over.signal },
          );
          setError(null);
          // A recording that comes later takes the place of what was there, from its beginning.
          const isOther = known !== null && known.path !== part.path;
          if (isOther && from > 0) {
            from = 0;
            known = null;
            continue;
          }
          const text: string = (known?.text ?? "") + part.text;
          known = { path: part.path, text, isCut: part.isCut, isLive: part.isLive };
          from = part.next;
          setShown(known);
          if (part.text !== "") continue;
          if (!part.isLive) return;
          await pause(EVERY_MS, over.signal);
        } catch (failure) {
          if (over.signal.aborted) return;
          setError(failure);
          await pause(RETRY_MS, over.signal);
        }
      }
    }
  }, [client, rolloutId]);
  return { shown, error };
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
