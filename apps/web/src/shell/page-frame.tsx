"use client";
import { type ReactNode, useContext, useLayoutEffect, useRef } from "react";
import { type Frame, FrameContext, NO_FRAME } from "#shell/frame-context.ts";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";

/**
 * The scrolling body of every page. What stands around it is said here and shown by `ProjectFrame`, which stays from page
 * to page; `fills` gives the body no scroll of its own.
 */
export function PageFrame({
  children,
  title,
  fills = false,
  ...said
}: Partial<Frame> & {
  crumbs: Frame["crumbs"];
  children: ReactNode;
  /** Of the browser's tab; the crumbs, last first, when left out. */
  title?: string;
  fills?: boolean;
}) {
  const setFrame = useContext(FrameContext);
  const body = useRef<HTMLDivElement>(null);
  useScrollMemory(body, "page");
  useLayoutEffect(() => setFrame({ ...NO_FRAME, ...said }));
  const shown =
    title ??
    said.crumbs
      .map(({ label }) => label)
      .reverse()
      .join(" · ");
  return (
    <>
      {/* A change of the URL takes what effects wrote; React keeps this one. */}
      <title>{`${shown} · LiveRL`}</title>
      <div
        id="page"
        ref={body}
        className="body scroll"
        style={fills ? { overflow: "hidden" } : undefined}
        tabIndex={-1}
      >
        {children}
      </div>
    </>
  );
}
