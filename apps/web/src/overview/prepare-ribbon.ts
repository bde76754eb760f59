import { ALERT_OVER, type RunEvent } from "@liverl/contract/run";

export type GlyphKind =
  | "start"
  | "checkpoint"
  | "evaluation"
  | "stop"
  | "crash"
  | "resume"
  | "alert"
  | "alert-over"
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
  alert: "Alert",
  "alert-over": "Alert over",
  annotation: "Annotation",
} as const satisfies Record<GlyphKind, string>;

export type RibbonGlyph = {
  id: number;
  kind: GlyphKind;
  step: number;
  left: number;
  words: string;
};
export type Ribbon = {
  glyphs: RibbonGlyph[];
  syncs: number[];
  ticks: { step: number; left: number }[];
  kinds: GlyphKind[];
};

function glyphOf({ kind, message }: RunEvent): GlyphKind | undefined {
  const isOver = kind === "alert" && message.startsWith(ALERT_OVER);
  return isOver ? "alert-over" : GLYPH_OF[kind];
}

const GAP_PX = 11;

/** Places events along `width` pixels. Close glyphs move apart to the right, never overlap, and never leave the box. */
export function prepareRibbon(
  events: readonly RunEvent[],
  x: readonly [number, number],
  width: number,
  ticks: readonly number[],
): Ribbon {
  const left = (step: number) => ((step - x[0]) / (x[1] - x[0] || 1)) * width;
  const shown = placeAll(events).filter(({ step }) => step >= x[0] && step <= x[1]);
  const all = shown
    .flatMap((event): RibbonGlyph[] => {
      const kind = glyphOf(event);
      const { id, step } = event;
      return kind === undefined ? [] : [{ id, kind, step, left: left(step), words: event.message }];
    })
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
  return { glyphs, syncs, kinds, ticks: ticks.map((step) => ({ step, left: left(step) })) };
}

/** What has no step of its own (an operator's word, a restart) happened at the step that the run had reached. */
function placeAll(events: readonly RunEvent[]): (RunEvent & { step: number })[] {
  let reached = 0;
  return [...events]
    .sort((a, b) => a.id - b.id)
    .map((event) => {
      reached = event.step ?? reached;
      return { ...event, step: reached };
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
