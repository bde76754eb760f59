import type { Advisory, Health } from "@liverl/contract/run";
import type { Bounds } from "@liverl/contract/threshold";
import type { VerdictSign } from "@liverl/contract/verdict-sign";
import type { Sample } from "#verdict/samples.ts";

type Links = Advisory["links"];

export interface Sign {
  id: VerdictSign;
  level: Health;
  title: string;
  detail: string;
  /** The metric that tells of it. */
  key?: string;
  /** Where it began; its step is named in the title. */
  since?: Sample | null;
  /** The first step that was back to normal, where it is over and still worth a word. */
  untilStep?: number | null;
  /** The sample to look at, where nothing began at a known step. */
  at?: Sample | undefined;
  tier?: Advisory["tier"];
  /** Between the link to the step and that to the chart. */
  links?: Links;
  /** Where the step's rollouts are those of an evaluation. */
  mode?: "eval";
  /** Id of the log that tells of it; left out, the run's first. */
  log?: string;
}

/** An advisory with its evidence: the step, the chart around it, and the log at that second. */
export function advise(sign: Sign): Advisory {
  const { id, level, title, detail, key, since = null, tier = "alarm", links = [] } = sign;
  const where = since ?? sign.at;
  return {
    ...{ id, level, tier, detail },
    title: since === null ? title : `${title} since step ${since.step}`,
    sinceStep: since?.step ?? null,
    untilStep: sign.untilStep ?? null,
    metricKey: key ?? null,
    links: [
      ...(where ? [stepLink(where, sign.mode)] : []),
      ...links,
      ...(key === undefined ? [] : [chartLink(key, where)]),
      ...(where ? [logLinkOf(where, sign.log)] : []),
    ],
  };
}

function stepLink({ step }: Sample, mode?: "eval"): Links[number] {
  return mode === undefined
    ? { label: `Step ${step}`, href: `steps/${step}` }
    : { label: `Evaluation of step ${step}`, href: `steps/${step}?mode=${mode}` };
}

const AROUND = 20;

function chartLink(key: string, where: Sample | undefined): Links[number] {
  const pattern = `^${key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
  const range = where ? `&r=${Math.max(0, where.step - AROUND)}:${where.step + AROUND}` : "";
  return { label: "Chart", href: `metrics?q=${encodeURIComponent(pattern)}${range}` };
}

/** The log at the second of a sample. `source`: its id; a run that has none of that name shows its first. */
export function logLinkOf(
  { wallMs }: Pick<Sample, "wallMs">,
  source?: string,
  label?: string,
): Links[number] {
  const at = new Date(wallMs).toISOString();
  const query = new URLSearchParams({ ...(source === undefined ? {} : { src: source }), t: at });
  return { label: label ?? `Log at ${at.slice(11, 19)} UTC`, href: `logs?${query}` };
}

/** Rollouts that a filter, as docs/filters.md has them, lets through. */
export function rolloutsLink(label: string, f: string): Links[number] {
  return { label, href: `rollouts?${new URLSearchParams({ f })}` };
}

/** How far a value has gone by bounds that are upper ones: what lies on a bound is still within. */
export function levelAbove({ warn, bad }: Bounds, value: number): "warn" | "bad" | null {
  if (bad !== null && value > bad) return "bad";
  return warn !== null && value > warn ? "warn" : null;
}

export function levelBelow({ warn, bad }: Bounds, value: number): "warn" | "bad" | null {
  if (bad !== null && value < bad) return "bad";
  return warn !== null && value < warn ? "warn" : null;
}

/** Where anything is said at all; infinite when the sign is off. */
export const firstBound = ({ warn, bad }: Bounds) => warn ?? bad ?? Number.POSITIVE_INFINITY;

/** From here on a number is told by its power of ten. */
const HUGE = 1e6;

export const number = (value: number) => {
  const size = Math.abs(value);
  return value === 0 || (size >= 0.001 && size < HUGE) ? value.toFixed(3) : value.toExponential(1);
};

const MOST_DIGITS = 12;

/** A value in as many digits as tell it from its bound: `0.00502` beside 0.005. Pure. */
export function numberBeside(bound: number, value: number): string {
  return value !== bound && Number(number(value)) === bound ? apart(bound, value) : number(value);
}

/** The same of shares: `29.6 %` beside 30 %. Pure. */
export function percentBeside(bound: number, share: number): string {
  return share !== bound && percent(share) === percent(bound)
    ? `${apart(Number.parseFloat(percent(bound)), share * 100)} %`
    : percent(share);
}

function apart(bound: number, value: number): string {
  for (let digits = 2; digits < MOST_DIGITS; digits++) {
    const text = value.toPrecision(digits);
    if (Number(text) !== bound) return String(Number(text));
  }
  return String(value);
}

/** Whole, but for what would round to nothing: `0.1 %`. */
export const percent = (share: number) => {
  const whole = Math.round(share * 100);
  return whole === 0 && share !== 0 ? `${Number((share * 100).toPrecision(1))} %` : `${whole} %`;
};

export const duration = (ms: number) => {
  if (ms < 120_000) return `${(ms / 1000).toPrecision(2)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
};

export const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
