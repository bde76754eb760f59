"use client";
import {
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from "nuqs";
import { LENSES } from "#trajectories/prepare-lens.ts";

export const VIEWS = [
  "conversation",
  "tokens",
  "patch",
  "verifier",
  "terminal",
  "tree",
  "raw",
  "files",
] as const;
export type InspectorView = (typeof VIEWS)[number];

/** All that can be set in the inspector, held in the URL. */
export function useInspector() {
  const [state, set] = useQueryStates({
    tab: parseAsStringLiteral(VIEWS).withDefault("conversation"),
    lens: parseAsStringLiteral(LENSES).withDefault("none"),
    /** Node id of the turn that was jumped to. */
    turn: parseAsInteger,
    /** `<node>.<index>` of the chosen token. */
    tok: parseAsString,
    seg: parseAsInteger,
    /** Number of the turn that is about to be sampled again. */
    again: parseAsInteger,
    q: parseAsString.withDefault(""),
    /** Path in the trial's folder. */
    file: parseAsString,
    /** Which terminal: what the agent did, or a shell of one's own. */
    term: parseAsStringLiteral(["agent", "shell"]).withDefault("agent"),
    tools: parseAsBoolean.withDefault(true),
    given: parseAsBoolean.withDefault(true),
    /** Given text as its tokens, control tokens included. */
    exact: parseAsBoolean.withDefault(false),
  });
  return { ...state, set };
}

export type Inspector = ReturnType<typeof useInspector>;
