import type { TreePart } from "#sessions/prepare-tree.ts";

/** What is painted of a row, pixels from the first token. */
export interface Bar {
  x: number;
  width: number;
  kind: "given" | "sampled";
  version: number | null;
  trained: boolean;
  /** The part that it stands for; of several in one pixel the longest. */
  part: TreePart;
}

/** Sampled tokens are few beside given ones: they stay visible however small they are. */
const LEAST_SAMPLED = 2;

/** Parts as bars. Parts that end within one pixel are one bar, so that a row has no more bars than pixels. */
export function prepareBars(parts: readonly TreePart[], pixelsPerToken: number): Bar[] {
  const bars: Bar[] = [];
  for (const part of parts) {
    const x = part.start * pixelsPerToken;
    const end = (part.start + part.tokens) * pixelsPerToken;
    const last = bars.at(-1);
    const isTiny = end - x < 1;
    if (last && isTiny && Math.floor(end) <= Math.floor(last.x + Math.max(1, last.width))) {
      last.width = Math.max(last.width, end - last.x);
      if (last.kind === "given" && part.kind === "sampled" && last.width <= LEAST_SAMPLED) {
        Object.assign(last, barOf(part, last.x, last.width));
      }
      continue;
    }
    bars.push(barOf(part, x, end - x));
  }
  return bars;
}

function barOf(part: TreePart, x: number, width: number): Bar {
  const { kind, version, trained } = part;
  return {
    x,
    width: Math.max(kind === "sampled" ? LEAST_SAMPLED : 0.5, width),
    kind,
    version,
    trained,
    part,
  };
}

/** Round token counts for the axis, from 0, at most `limit` of them. */
export function tokenTicks(longest: number, limit: number): number[] {
  if (longest <= 0) return [0];
  const rough = longest / limit;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((by) => by * size).find((by) => by >= rough) ?? rough);
  return Array.from({ length: Math.floor(longest / step) + 1 }, (_, at) => at * step);
}

export function formatTick(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${Number((tokens / 1000).toFixed(1))}k`;
}
