"use client";
import { useOs } from "@mantine/hooks";
import type { ReactNode } from "react";

/** A key, printed on the control that it presses. ⌘ is written Ctrl where the keyboard has no ⌘. */
export function Kbd({ children, onFill = false }: { children: ReactNode; onFill?: boolean }) {
  return (
    <kbd className={onFill ? "kbd on-fill" : "kbd"} aria-hidden="true">
      {typeof children === "string" ? <KeyName name={children} /> : children}
    </kbd>
  );
}

/** The name of a key, or of keys pressed together, as this keyboard has it: `⌘K` or `Ctrl K`. */
export function KeyName({ name }: { name: string }) {
  const os = useOs();
  const hasCommand = os === "macos" || os === "ios" || os === "undetermined";
  return hasCommand ? name : name.replace("⌘", "Ctrl ").trim();
}
