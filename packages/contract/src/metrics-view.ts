import { z } from "zod";
import { ProjectName } from "#run.ts";

/** What a chart's x axis counts. `relative` is wall time since the first point. */
export const XAxis = z.enum(["step", "wall", "relative", "tokens"]);
export type XAxis = z.infer<typeof XAxis>;

/** How large panels are: the larger, the fewer stand side by side. */
export const PanelSize = z.enum(["s", "m", "l"]);
export type PanelSize = z.infer<typeof PanelSize>;

const PanelName = z.string().min(1).max(300);

/** How the metrics page looks. Each field is also a parameter of the page's address, which goes before the view's. */
export const MetricsView = z.strictObject({
  /** A pattern that panels have to match; empty shows all. */
  search: z.string().max(300).default(""),
  /** Panels that stand first, in this order, by the name of their metric. */
  pins: z.array(PanelName).max(100).default([]),
  /** Panels that stand first in their own section, in this order. The others follow by name. */
  order: z.array(PanelName).max(2_000).default([]),
  /** Sections that are closed. */
  closed: z.array(PanelName).max(500).default([]),
  x: XAxis.default("step"),
  /** Weight on the past of the exponential moving average; 0 is off. */
  smoothing: z.number().min(0).max(0.99).default(0),
  isLog: z.boolean().default(false),
  /** Whether the y axis leaves out what lies beyond the 1st and 99th percentile. */
  isClipped: z.boolean().default(false),
  /** Whether the band from minimum to maximum is drawn. */
  hasBand: z.boolean().default(true),
  size: PanelSize.default("m"),
});
export type MetricsView = z.infer<typeof MetricsView>;

/** A view that comes with the run's preset: made by LiveRL, there for every run, not changed by anyone. */
export const ShippedView = z.object({ id: z.string(), name: z.string(), state: MetricsView });
export type ShippedView = z.infer<typeof ShippedView>;

/** A view that somebody saved for all runs of a project. */
export const SavedView = ShippedView.extend({ author: z.string(), updatedAt: z.string() });
export type SavedView = z.infer<typeof SavedView>;

export const ListViews = z.object({ project: ProjectName, runId: z.string().max(200) });
export type ListViews = z.infer<typeof ListViews>;

/** Without `id` a new view; with it the view's name and state are replaced. */
export const SaveView = z.object({
  id: z.string().max(40).optional(),
  project: ProjectName,
  name: z.string().trim().min(1, "give the view a name").max(60),
  state: MetricsView,
  /** When the view was changed that this one replaces; a later change is then not written over. */
  seenAt: z.iso.datetime().optional(),
});
export type SaveView = z.infer<typeof SaveView>;
