"use client";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { SIDES, SORTS } from "#replays/prepare-replay.ts";

/** Completions as they read, tinted by log-prob, or against the original. */
const SHOWS = ["difference", "logprob", "text"] as const;

/** All that can be set on the page of a replay, held in the URL. */
export function useReplayView() {
  const [state, set] = useQueryStates({
    show: parseAsStringLiteral(SHOWS).withDefault("difference"),
    sort: parseAsStringLiteral(SORTS).withDefault("sampled"),
    side: parseAsStringLiteral(SIDES).withDefault("recorded"),
    /** Number of the completion that is looked at, from 1. */
    at: parseAsInteger,
  });
  return { ...state, set };
}
export type ReplayLook = ReturnType<typeof useReplayView>;
