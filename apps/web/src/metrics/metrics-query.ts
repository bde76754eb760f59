import { MetricsView, PanelSize, XAxis } from "@liverl/contract/metrics-view";
import { createParser, parseAsFloat, parseAsString, parseAsStringLiteral } from "nuqs";

/** Names with commas between them, each encoded; an empty text is an empty list, which says something else than none. */
export const namesParser = createParser<string[]>({
  parse: (text) => (text === "" ? [] : text.split(",").map(decodeName)),
  serialize: (names) =>
    names.map((name) => name.replaceAll("%", "%25").replaceAll(",", "%2C")).join(","),
  eq: (a, b) => a.length === b.length && a.every((name, at) => name === b[at]),
});

function decodeName(text: string): string {
  return text.replaceAll("%2C", ",").replaceAll("%25", "%");
}

const flagParser = createParser<boolean>({
  parse: (text) => (text === "1" ? true : text === "0" ? false : null),
  serialize: (isOn) => (isOn ? "1" : "0"),
});

/** The page's state in its address. A parameter that is there goes before the view's own value. */
export const METRICS_QUERY = {
  view: parseAsString,
  q: parseAsString,
  pins: namesParser,
  order: namesParser,
  closed: namesParser,
  x: parseAsStringLiteral(XAxis.options),
  sm: parseAsFloat,
  log: flagParser,
  clip: flagParser,
  band: flagParser,
  size: parseAsStringLiteral(PanelSize.options),
};

/** Parameter of each field of a view. */
const PARAMETER = {
  search: "q",
  pins: "pins",
  order: "order",
  closed: "closed",
  x: "x",
  smoothing: "sm",
  isLog: "log",
  isClipped: "clip",
  hasBand: "band",
  size: "size",
} as const satisfies Record<keyof MetricsView, keyof typeof METRICS_QUERY>;

type Parameters = typeof METRICS_QUERY;
/** What the address says; null, or nothing, where it says nothing. */
export type MetricsQuery = {
  [K in Exclude<keyof Parameters, "view">]?: ReturnType<Parameters[K]["parse"]>;
};

/** The view's values with the address' own before them. What is no valid value counts as not given. */
export function mergeView(base: MetricsView, query: MetricsQuery): MetricsView {
  const merged: Record<string, unknown> = { ...base };
  for (const [field, schema] of Object.entries(MetricsView.shape)) {
    const given = query[PARAMETER[field as keyof MetricsView]];
    if (given === null || given === undefined) continue;
    const parsed = schema.safeParse(given);
    if (parsed.success) merged[field] = parsed.data;
  }
  return MetricsView.parse(merged);
}

/** Parameters that a change of the page needs: null, so none, where the view has that value itself. */
export function queryOfChange(base: MetricsView, change: Partial<MetricsView>): MetricsQuery {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const field = name as keyof MetricsView;
      const isOfView = JSON.stringify(value) === JSON.stringify(base[field]);
      return [PARAMETER[field], isOfView ? null : value];
    }),
  );
}
