"use client";
import { XAxis } from "@liverl/contract/metrics-view";
import {
  createParser,
  parseAsBoolean,
  parseAsFloat,
  parseAsStringLiteral,
  useQueryState,
  useQueryStates,
} from "nuqs";
import { useCallback, useMemo } from "react";
import { type ChartLook, useChartScene } from "#charts/chart-scene.tsx";

/** `0.1:0.6`, `:1`: ends of the y axis; an end that is left out is as the values are. */
export type YRange = readonly [number | null, number | null];

export function parseYRange(text: string): YRange | null {
  const parts = text.split(":");
  if (parts.length !== 2) return null;
  const [low, high] = parts.map((part) => (part === "" ? null : Number(part)));
  if (low === undefined || high === undefined) return null;
  if ((low !== null && !Number.isFinite(low)) || (high !== null && !Number.isFinite(high)))
    return null;
  if (low === null && high === null) return null;
  return low !== null && high !== null && high <= low ? null : [low, high];
}

const yRangeParser = createParser<YRange>({
  parse: parseYRange,
  serialize: ([low, high]) => `${low ?? ""}:${high ?? ""}`,
  eq: (a, b) => a[0] === b[0] && a[1] === b[1],
});

const numbersParser = createParser<number[]>({
  parse: (text) => {
    const numbers = text
      .split(",")
      .filter((part) => part !== "")
      .map(Number);
    return numbers.every(Number.isFinite) ? numbers : null;
  },
  serialize: (numbers) => numbers.join(","),
  eq: (a, b) => a.join() === b.join(),
});

const namesParser = createParser<string[]>({
  parse: (text) =>
    text
      .split(",")
      .filter((part) => part !== "")
      .map(decodeURIComponent),
  serialize: (names) => names.map(encodeURIComponent).join(","),
  eq: (a, b) => a.join() === b.join(),
});

/** The full view in the address: which panel, and what it is drawn by apart from the page around it. */
export const FULL_QUERY = {
  full: createParser<string>({ parse: (text) => text, serialize: (text) => text }),
  fx: parseAsStringLiteral(XAxis.options),
  fsm: parseAsFloat,
  flog: parseAsBoolean,
  fband: parseAsBoolean,
  /** Ends of the y axis. */
  fy: yRangeParser,
  /** Series that are hidden. */
  hide: namesParser,
  /** Lines that somebody set. */
  ref: numbersParser,
};

const CLOSED = {
  full: null,
  fx: null,
  fsm: null,
  flog: null,
  fband: null,
  fy: null,
  hide: null,
  ref: null,
};

/** How the panel in full view is drawn: as the page's panels are, with what the address says of this one. */
export function useFullLook() {
  const scene = useChartScene();
  const [query, setQuery] = useQueryStates(FULL_QUERY);
  const { full, fx, fsm, flog, fband, fy, hide, ref } = query;
  const look = useMemo<ChartLook>(
    () => ({
      x: fx ?? scene.look.x,
      smoothing: Math.min(0.99, Math.max(0, fsm ?? scene.look.smoothing)),
      isLog: flog ?? scene.look.isLog,
      hasBand: fband ?? scene.look.hasBand,
      // Nothing is left out where there is room for all.
      isClipped: false,
      tokens: scene.tokens,
    }),
    [scene.look, scene.tokens, fx, fsm, flog, fband],
  );
  return {
    title: full,
    look,
    yRange: fy ?? undefined,
    hidden: useMemo(() => new Set(hide ?? []), [hide]),
    lines: ref ?? NO_LINES,
    change: (patch: Partial<Omit<typeof query, "full">>) => void setQuery(patch),
    close: () => void setQuery(CLOSED, { history: "push" }),
  };
}

/** Opens a panel in full view; the browser's Back closes it. */
export function useOpenFull(): (title: string) => void {
  const [, setFull] = useQueryState("full", FULL_QUERY.full);
  return useCallback((title) => void setFull(title, { history: "push" }), [setFull]);
}
const NO_LINES: number[] = [];
export type FullLook = ReturnType<typeof useFullLook>;
