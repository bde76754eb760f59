import type { ReactNode } from "react";

/** A key, printed on the control that it presses. */
export function Kbd({ children, onFill = false }: { children: ReactNode; onFill?: boolean }) {
  return (
    <kbd className={onFill ? "kbd on-fill" : "kbd"} aria-hidden="true">
      {children}
    </kbd>
  );
}
