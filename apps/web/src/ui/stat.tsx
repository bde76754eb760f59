import type { ReactNode } from "react";

/** A headline number: label, value, quiet unit, and a line under it. Put several in `<div className="stats">`. */
export function Stat({
  label,
  value,
  unit,
  below,
  title,
}: {
  label: ReactNode;
  value: ReactNode;
  unit?: ReactNode;
  below?: ReactNode;
  title?: string;
}) {
  return (
    <div className="stat" title={title}>
      <div className="k">{label}</div>
      <div className="v">
        {value}
        {unit !== undefined && <small> {unit}</small>}
      </div>
      {below !== undefined && <div className="d">{below}</div>}
    </div>
  );
}
