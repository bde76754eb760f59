"use client";
import { type MetricsView, XAxis } from "@liverl/contract/metrics-view";
import { panelAround } from "#metrics/use-panel-drag.ts";
import type { Shortcut } from "#shell/shortcuts.ts";
import { usePageKeys } from "#ui/use-page-keys.ts";

export const METRICS_SHORTCUTS: readonly Shortcut[] = [
  { keys: ["/"], does: "Find a metric" },
  { keys: ["p"], does: "Pin the panel under the pointer or in focus" },
  { keys: ["f"], does: "Open the panel under the pointer or in focus in full view" },
  { keys: ["⇧←", "⇧→"], does: "Move the panel in focus" },
  { keys: ["+", "−"], does: "Zoom the panel in focus in, out" },
  { keys: ["a"], does: "Annotate the step under the crosshair" },
  { keys: ["x"], does: "Next x axis: step, wall time, relative, tokens" },
  { keys: ["l"], does: "Logarithmic y axis" },
  { keys: ["c"], does: "Clip to p1–p99" },
  { keys: ["b"], does: "Band from minimum to maximum" },
  { keys: ["z"], does: "Show all steps" },
  {
    keys: ["←", "→"],
    does: "Crosshair to the previous or next step, on the panel under the pointer or in focus",
  },
  { keys: ["↵"], does: "Open the step under the crosshair" },
];

/** The panel under the pointer, else the one in focus. */
function panelInHand(): string | null {
  return (
    panelAround(document.querySelector("[data-panel]:hover")) ?? panelAround(document.activeElement)
  );
}

/** Keys of the metrics page; see {@link METRICS_SHORTCUTS}. */
export function useMetricsKeys({
  state,
  change,
  onPin,
  onFull,
  onAnnotate,
  onShowAll,
}: {
  state: MetricsView;
  change: (patch: Partial<MetricsView>) => void;
  onPin: (title: string) => void;
  onFull: (title: string) => void;
  onAnnotate: () => void;
  onShowAll: () => void;
}): void {
  const axes = XAxis.options;
  usePageKeys([
    [
      "P",
      () => {
        const title = panelInHand();
        if (title !== null) onPin(title);
      },
    ],
    [
      "F",
      () => {
        const title = panelInHand();
        if (title !== null) onFull(title);
      },
    ],
    ["A", onAnnotate],
    ["X", () => change({ x: axes[(axes.indexOf(state.x) + 1) % axes.length] })],
    ["L", () => change({ isLog: !state.isLog })],
    ["C", () => change({ isClipped: !state.isClipped })],
    ["B", () => change({ hasBand: !state.hasBand })],
    ["Z", onShowAll],
  ]);
}
