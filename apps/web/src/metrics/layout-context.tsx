"use client";
import { createContext, useContext } from "react";

/** What the panels of the page ask: whether they are pinned, and to be. */
export type PanelLayout = { pins: ReadonlySet<string>; toggle: (title: string) => void };

const Layout = createContext<PanelLayout | null>(null);
export const PanelLayoutProvider = Layout.Provider;

export function usePanelLayout(): PanelLayout {
  const layout = useContext(Layout);
  if (layout === null) throw new Error("A pin needs a PanelLayoutProvider above it.");
  return layout;
}
