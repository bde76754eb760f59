import { trimEnd } from "@liverl/contract/trim-end";

const MOST = 63;

/** A name that a path can hold, as near as can be to what a client calls its run. */
export function runNameOf(name: string): string {
  return trim(name.replace(/[^A-Za-z0-9._-]+/g, "-")) || "run";
}

/** The same for a project, which has lower-case letters only. */
export function projectNameOf(name: string): string {
  return trim(name.toLowerCase().replace(/[^a-z0-9._-]+/g, "-")) || "default";
}

const trim = (text: string) => trimEnd(text.replace(/^[^A-Za-z0-9]+/, "").slice(0, MOST), "-.");
