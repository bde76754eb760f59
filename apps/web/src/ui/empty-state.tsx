import type { ReactNode } from "react";

/** Nothing here yet: says when something will come, or what to do. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <b>{title}</b>
      {children !== undefined && <span className="empty-why">{children}</span>}
      {action}
    </div>
  );
}
