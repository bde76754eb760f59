import type { ReactNode } from "react";
import { type DotKind, StatusDot } from "#ui/status-dot.tsx";

/** A dot with its word. */
export function StatusWord({
  kind,
  children,
  title,
}: {
  kind: DotKind;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className="st" title={title}>
      <StatusDot kind={kind} />
      {children}
    </span>
  );
}
