"use client";
import { useEffect } from "react";
import { SIDES, SORTS } from "#replays/prepare-replay.ts";
import type { ReplayLook } from "#replays/use-replay-view.ts";
import { usePageKeys } from "#ui/use-page-keys.ts";

export const REPLAY_SHORTCUTS = [
  { keys: ["j", "k"], does: "Next completion, previous completion" },
  { keys: ["d"], does: "Difference, or the text" },
  { keys: ["l"], does: "Log-probs; again: of the original, under these weights" },
  { keys: ["o"], does: "Next order" },
];

/** Name of a completion's place on the page. */
export const sampleAnchor = (number: number) => `completion-${number}`;

/** Keys of a replay's page. `order`: numbers of its completions as they stand. */
export function useReplayKeys({ show, sort, side, at, set }: ReplayLook, order: number[]): void {
  const step = (by: 1 | -1) => {
    const place = at === null ? -1 : order.indexOf(at);
    const next = order[Math.max(0, Math.min(order.length - 1, place + by))];
    if (next !== undefined) void set({ at: next });
  };
  useEffect(() => {
    if (at === null) return;
    document.getElementById(sampleAnchor(at))?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const after = <T>(all: readonly T[], one: T) => all[(all.indexOf(one) + 1) % all.length];
  usePageKeys([
    ["J", () => step(1)],
    ["K", () => step(-1)],
    ["D", () => void set({ show: show === "difference" ? "text" : "difference" })],
    [
      "L",
      () =>
        void set(show === "logprob" ? { side: after(SIDES, side) } : { show: "logprob" as const }),
    ],
    ["O", () => void set({ sort: after(SORTS, sort) })],
    ["Escape", () => void set({ at: null })],
  ]);
}
