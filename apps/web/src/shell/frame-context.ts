"use client";
import { createContext, type ReactNode } from "react";
import type { Crumb } from "#shell/crumbs.tsx";
import type { JumpAct } from "#shell/jump.tsx";
import type { Nav } from "#shell/rail.tsx";
import type { Shortcut } from "#shell/shortcuts.ts";

/** What a page says to the frame around it. */
export type Frame = {
  nav: Nav | null;
  crumbs: readonly Crumb[];
  runId: string | null;
  /** Above the page, where it does not scroll. */
  head: ReactNode;
  shortcuts: readonly Shortcut[];
  narrowRail: boolean;
  /** What ⌘K can do on this page. */
  acts: readonly JumpAct[];
};

/** Before a page has said anything. */
export const NO_FRAME: Frame = {
  ...{ nav: null, crumbs: [], runId: null, head: null },
  ...{ shortcuts: [], narrowRail: false, acts: [] },
};

/** Tells the frame; called by `PageFrame` alone. */
export const FrameContext = createContext<(frame: Frame) => void>(() => {});
