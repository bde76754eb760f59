"use client";
import { useComputedColorScheme } from "@mantine/core";
import type { FitAddon } from "@xterm/addon-fit";
import type { ITheme, Terminal } from "@xterm/xterm";
import { type RefObject, useEffect, useRef, useState } from "react";

/** Lines that can be scrolled back to. */
const SCROLLBACK = 10_000;

export interface Screen {
  terminal: Terminal;
  fit: FitAddon;
}

/** A terminal in an element, once its code has come; it follows the theme and its element's size. */
export function useXterm({
  canType,
  columns = null,
  label,
}: {
  canType: boolean;
  /** A fixed width, as a recording has it; null: as wide as its element. */
  columns?: number | null;
  /** For a screen reader. */
  label: string;
}): { host: RefObject<HTMLDivElement | null>; screen: Screen | null } {
  const host = useRef<HTMLDivElement>(null);
  const [screen, setScreen] = useState<Screen | null>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    let end = () => undefined as void;
    let isOver = false;
    void open(element, { canType, columns, label }).then((opened) => {
      if (isOver) return opened.terminal.dispose();
      const watch = new ResizeObserver(() => fitInto(opened, columns));
      watch.observe(element);
      end = () => {
        watch.disconnect();
        opened.terminal.dispose();
      };
      setScreen(opened);
    });
    return () => {
      isOver = true;
      setScreen(null);
      end();
    };
  }, [canType, columns, label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes what the variables are
  useEffect(() => {
    if (screen && host.current) screen.terminal.options.theme = themeOf(host.current);
  }, [screen, scheme]);
  return { host, screen };
}

async function open(
  element: HTMLElement,
  { canType, columns, label }: { canType: boolean; columns: number | null; label: string },
): Promise<Screen> {
  // Only a browser can load it.
  const [{ Terminal }, { FitAddon }] = await Promise.all([
    import("@xterm/xterm"),
    import("@xterm/addon-fit"),
  ]);
  const terminal = new Terminal({
    disableStdin: !canType,
    cursorBlink: false,
    cursorInactiveStyle: canType ? "outline" : "none",
    scrollback: SCROLLBACK,
    fontFamily: getComputedStyle(element).getPropertyValue("--font-mono"),
    fontSize: 12,
    lineHeight: 1.25,
    theme: themeOf(element),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  terminal.textarea?.setAttribute("aria-label", label);
  // Keyboards must find a way out.
  terminal.attachCustomKeyEventHandler(
    (event) => !(event.key === "Tab" && (event.shiftKey || !canType)),
  );
  const screen = { terminal, fit };
  fitInto(screen, columns);
  return screen;
}

function fitInto({ terminal, fit }: Screen, columns: number | null): void {
  const size = fit.proposeDimensions();
  if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return;
  terminal.resize(Math.max(2, columns ?? size.cols), Math.max(2, size.rows));
}

function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const ink = color("--term-ink");
  const dim = color("--term-dim");
  return {
    background: color("--term-bg"),
    foreground: ink,
    cursor: ink,
    cursorAccent: color("--term-bg"),
    selectionBackground: color("--accent-soft"),
    black: dim,
    brightBlack: dim,
    white: ink,
    brightWhite: ink,
    red: color("--term-bad"),
    brightRed: color("--term-bad"),
    green: color("--term-ok"),
    brightGreen: color("--term-ok"),
    yellow: color("--term-warn"),
    brightYellow: color("--term-warn"),
    blue: color("--term-info"),
    brightBlue: color("--term-info"),
    magenta: color("--c4"),
    brightMagenta: color("--c4"),
    cyan: color("--c3"),
    brightCyan: color("--c3"),
  };
}
