import { ALERT_OVER, describeFinding, type Finding, type RunEvent } from "@liverl/contract/run";
import type { XTicks } from "#charts/prepare-x-ticks.ts";
import { BY_STEP, positionOfStep, type XScale } from "#charts/x-scale.ts";

export type GlyphKind =
  | "start"
  | "checkpoint"
  | "evaluation"
  | "stop"
  | "crash"
  | "resume"
  | "fork"
  | "alert"
  | "alert-over"
  | "finding"
  | "annotation";

const GLYPH_OF: Partial<Record<RunEvent["kind"], GlyphKind>> = {
  launch: "start",
  attach: "start",
  checkpoint: "checkpoint",
  evaluation: "evaluation",
  "stop-requested": "stop",
  crash: "crash",
  resume: "resume",
  restart: "resume",
  fork: "fork",
  alert: "alert",
  annotation: "annotation",
};

export const GLYPH_WORDS = {
  start: "Start",
  checkpoint: "Checkpoint",
  evaluation: "Evaluation",
  stop: "Stop asked",
  crash: "Crash",
  resume: "Resume",
  fork: "Fork taken",
  alert: "Alert",
  "alert-over": "Alert over",
  finding: "Finding",
  annotation: "Annotation",
} as const satisfies Record<GlyphKind, string>;

export type RibbonGlyph = {
  id: number;
  kind: GlyphKind;
  step: number;
  left: number;
  words: string;
};
/** The steps over which a finding lasted. */
export type RibbonSpan = {
  key: string;
  left: number;
  width: number;
  level: Finding["level"];
  words: string;
};
export type Ribbon = {
  spans: RibbonSpan[];
  glyphs: RibbonGlyph[];
  syncs: number[];
  ticks: { label: string; left: number }[];
  kinds: GlyphKind[];
};

function glyphOf({ kind, message }: RunEvent): GlyphKind | undefined {
  const isOver = kind === "alert" && message.startsWith(ALERT_OVER);
  return isOver ? "alert-over" : GLYPH_OF[kind];
}

const GAP_PX = 11;

/** Said of a step by somebody later: the run may be far beyond it. */
const LOOKS_BACK: ReadonlySet<RunEvent["kind"]> = new Set(["fork", "annotation", "finding"]);

/** The x axis that the ribbon shares with the charts beneath it. */
export type RibbonAxis = {
  /** First and last step shown. */
  steps: readonly [number, number];
  /** The same in the axis' own unit; without it that is steps. */
  scale?: XScale;
  ticks?: XTicks;
  /** No zoom, so what was before the first point (the launch, where metrics begin with step 1) stands at its edge. */
  isWhole?: boolean;
};

/**
 * Places events along `width` pixels, by the axis of the charts. Close glyphs move apart to the right, never overlap, and never
 * leave the box. A step whose place on the axis is not known is left out.
 */
export function prepareRibbon(
  events: readonly RunEvent[],
  width: number,
  { steps, scale = BY_STEP, ticks = { ticks: [], labels: [] }, isWhole = false }: RibbonAxis,
  findings: readonly Finding[] = [],
): Ribbon {
  const [first, last] = steps.map((step) => positionOfStep(step, scale)) as [number, number];
  const leftOf = (position: number) => ((position - first) / (last - first || 1)) * width;
  const left = (step: number) => leftOf(positionOfStep(Math.max(steps[0], step), scale));
  const shown = placeAll(events).filter(
    ({ step }) => (isWhole || step >= steps[0]) && step <= steps[1] && Number.isFinite(left(step)),
  );
  const all = shown
    .flatMap((event): RibbonGlyph[] => {
      const kind = glyphOf(event);
      const { id, step } = event;
      return kind === undefined ? [] : [{ id, kind, step, left: left(step), words: event.message }];
    })
    .concat(
      // Events have positive ids.
      findings.flatMap((one, i): RibbonGlyph[] => {
        const { fromStep: step } = one;
        const isShown = step >= steps[0] && step <= steps[1] && Number.isFinite(left(step));
        const mark = { id: -1 - i, kind: "finding" as const, step, left: left(step) };
        return isShown ? [{ ...mark, words: describeFinding(one) }] : [];
      }),
    )
    .sort((a, b) => a.step - b.step || a.id - b.id);
  const glyphs = joinSame(all);
  spread(glyphs, width);
  const syncs = [
    ...new Set(
      shown.filter(({ kind }) => kind === "weight-sync").map(({ step }) => Math.round(left(step))),
    ),
  ];
  const kinds = (Object.keys(GLYPH_WORDS) as GlyphKind[]).filter((kind) =>
    glyphs.some((glyph) => glyph.kind === kind),
  );
  return {
    ...{ glyphs, syncs, kinds },
    spans: findings.flatMap((one) => spanOf(one, { steps, left, width })),
    ticks: ticks.ticks.map((tick, at) => ({ label: ticks.labels[at] ?? "", left: leftOf(tick) })),
  };
}

const LEAST_SPAN_PX = 3;

function spanOf(
  one: Finding,
  axis: { steps: readonly [number, number]; left: (step: number) => number; width: number },
): RibbonSpan[] {
  const [first, last] = axis.steps;
  const to = one.toStep ?? last;
  if (one.fromStep > last || to < first) return [];
  const left = Math.max(0, axis.left(one.fromStep));
  const right = Math.min(axis.width, axis.left(Math.min(to, last)));
  if (!Number.isFinite(left) || !Number.isFinite(right)) return [];
  return [
    {
      ...{ key: `${one.sign} ${one.fromStep}`, level: one.level, words: describeFinding(one) },
      ...{ left, width: Math.max(LEAST_SPAN_PX, right - left) },
    },
  ];
}

/** What has no step of its own (an operator's word, a restart) happened at the step that the run had reached. */
function placeAll(events: readonly RunEvent[]): (RunEvent & { step: number })[] {
  let reached = 0;
  return [...events]
    .sort((a, b) => a.id - b.id)
    .map((event) => {
      const step = event.step ?? reached;
      if (!LOOKS_BACK.has(event.kind)) reached = step;
      return { ...event, step };
    });
}

/** One act has several events (asked for, begun, loaded): the same sort at the same step is one glyph. In order of steps. */
function joinSame(glyphs: RibbonGlyph[]): RibbonGlyph[] {
  const joined = new Map<string, RibbonGlyph>();
  for (const glyph of glyphs) {
    const key = `${glyph.kind} ${glyph.step}`;
    const same = joined.get(key);
    if (same === undefined) joined.set(key, glyph);
    else if (!same.words.split("\n").includes(glyph.words)) same.words += `\n${glyph.words}`;
  }
  return [...joined.values()];
}

/** Pushes to the right, then back from the right edge. With more glyphs than room they share it evenly. */
function spread(glyphs: RibbonGlyph[], width: number): void {
  const gap = Math.min(GAP_PX, width / Math.max(1, glyphs.length));
  let last = Number.NEGATIVE_INFINITY;
  for (const glyph of glyphs) {
    glyph.left = Math.max(glyph.left, last + gap);
    last = glyph.left;
  }
  let edge = width;
  for (const glyph of glyphs.toReversed()) {
    glyph.left = Math.min(glyph.left, edge);
    edge = glyph.left - gap;
  }
}
