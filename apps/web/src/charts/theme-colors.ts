"use client";
import { useSyncExternalStore } from "react";

/** Reads a CSS variable of the page: `--c1` → a colour. */
export type ColorOf = (name: string) => string;

const SCHEME = "data-mantine-color-scheme";

/** Asking the browser costs a pass over the styles of the page; so each colour is asked once a scheme. */
function readColors(): ColorOf {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return (name) => {
    const color = known.get(name) ?? style.getPropertyValue(name).trim();
    known.set(name, color);
    return color;
  };
}

let current: ColorOf | null = null;
const listeners = new Set<() => void>();
let watcher: MutationObserver | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  watcher ??= new MutationObserver(() => {
    current = null;
    for (const told of listeners) told();
  });
  if (listeners.size === 1)
    watcher.observe(document.documentElement, { attributes: true, attributeFilter: [SCHEME] });
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    watcher?.disconnect();
    // Nobody hears now of another scheme.
    current = null;
  };
}

function read(): ColorOf {
  current ??= readColors();
  return current;
}

/** The colours of the scheme that is shown; another function when the scheme changes, so that a canvas is painted anew. */
export function useThemeColors(): ColorOf {
  return useSyncExternalStore(subscribe, read, () => String);
}
