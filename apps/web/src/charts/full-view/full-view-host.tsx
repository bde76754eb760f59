"use client";
import dynamic from "next/dynamic";
import { useFullLook } from "#charts/full-view/full-look.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";

// Recharts is loaded when somebody opens a panel: pages of panels draw without it (0040).
const FullView = dynamic(() =>
  import("#charts/full-view/full-view.tsx").then((room) => room.FullView),
);

/** Shows the panel that `full=` in the address names, over the page. `panels` are those of the page; null while they are not known. */
export function FullViewHost({ panels }: { panels: readonly PanelSpec[] | null }) {
  const view = useFullLook();
  if (view.title === null || panels === null) return null;
  return <FullView panel={panels.find(({ title }) => title === view.title) ?? null} view={view} />;
}
