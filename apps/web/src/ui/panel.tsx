import type { CSSProperties, ReactNode } from "react";

/** A bordered surface. With a title it has a 37 px head: title, quiet note, then what stands at the right. */
export function Panel({
  title,
  note,
  right,
  children,
  className = "",
  style,
  label,
}: {
  title?: ReactNode;
  note?: ReactNode;
  right?: ReactNode;
  children?: ReactNode;
  className?: string;
  style?: CSSProperties;
  /** Accessible name; only needed when the title is not text. */
  label?: string;
}) {
  const name = label ?? (typeof title === "string" ? title : undefined);
  return (
    <section className={`panel ${className}`} style={style} aria-label={name}>
      {title !== undefined && (
        <div className="ph">
          <h2 className="ph-title">{title}</h2>
          {note !== undefined && <span className="i3">{note}</span>}
          {right !== undefined && <span className="end row">{right}</span>}
        </div>
      )}
      {children}
    </section>
  );
}
