import type { ReactNode } from "react";

export type ChipTone = "neutral" | "on" | "ok" | "warn" | "bad";

/** A short fact in a box. With `onClick` it is a toggle button and tells its state. */
export function Chip({
  tone = "neutral",
  children,
  title,
  onClick,
  pressed,
}: {
  tone?: ChipTone;
  children: ReactNode;
  title?: string;
  onClick?: () => void;
  pressed?: boolean;
}) {
  const className = tone === "neutral" ? "chip" : `chip ${tone}`;
  if (onClick === undefined) {
    return (
      <span className={className} title={title}>
        {children}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={className}
      title={title}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
