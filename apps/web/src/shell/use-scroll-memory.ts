"use client";
import { type RefObject, useEffect, useLayoutEffect } from "react";

/** Rows and panels that come after the first paint make a list as long as it was; a person waits no longer for it. */
const PATIENCE_MS = 4_000;
const STORED = "liverl-scroll";
const MOST_STORED = 100;

/** Where each list of each address stood, CSS pixels from its top. */
const places = new Map<string, number>();
/** The address that Back or Forward has just led to. */
let returnedTo: string | null = null;
let forget: ReturnType<typeof setTimeout> | undefined;

const here = () => window.location.pathname + window.location.search;

function sawReturn(): void {
  returnedTo = here();
  clearTimeout(forget);
  forget = setTimeout(() => {
    returnedTo = null;
  }, PATIENCE_MS);
}

if (typeof window !== "undefined") {
  window.addEventListener("popstate", sawReturn);
  // A page that is loaded anew, by reload or by Back from elsewhere, finds its places again.
  const [entry] = performance.getEntriesByType("navigation");
  if (entry instanceof PerformanceNavigationTiming && entry.type !== "navigate") {
    const stored: [string, number][] = JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
    for (const [key, top] of stored) places.set(key, top);
    sawReturn();
  }
  window.addEventListener("pagehide", () =>
    sessionStorage.setItem(STORED, JSON.stringify([...places].slice(-MOST_STORED))),
  );
}

/**
 * Scrolls a list back to where it stood when Back, Forward or a reload leads to its address. Browsers do so for the window alone.
 * `name` tells lists of one address apart.
 */
export function useScrollMemory(ref: RefObject<HTMLElement | null>, name: string): void {
  useLayoutEffect(() => {
    const element = ref.current;
    const wanted = returnedTo === here() ? places.get(`${here()} ${name}`) : undefined;
    if (element === null || wanted === undefined) return;
    const done = new AbortController();
    const place = () => {
      element.scrollTop = wanted;
      if (Math.abs(element.scrollTop - wanted) < 2) done.abort();
    };
    const grown = new ResizeObserver(place);
    done.signal.addEventListener("abort", () => grown.disconnect());
    for (const child of element.children) grown.observe(child);
    // Whoever scrolls meanwhile knows better.
    for (const act of ["wheel", "pointerdown", "keydown"] as const)
      element.addEventListener(act, () => done.abort(), { signal: done.signal });
    const late = setTimeout(() => done.abort(), PATIENCE_MS);
    place();
    return () => {
      clearTimeout(late);
      done.abort();
    };
  }, [ref, name]);

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const keep = () => {
      places.set(`${here()} ${name}`, element.scrollTop);
    };
    element.addEventListener("scroll", keep, { passive: true });
    return () => element.removeEventListener("scroll", keep);
  }, [ref, name]);
}
