"use client";
import { useEffect, useState } from "react";

/** A still grey box in the final size, shown only after 150 ms so that quick answers never flash. */
export function Skeleton({
  width = "100%",
  height = 16,
  radius = 4,
}: {
  width?: number | string;
  height?: number | string;
  radius?: number;
}) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span
      className={shown ? "skel" : ""}
      style={{ display: "block", width, height, borderRadius: radius }}
      aria-hidden="true"
    />
  );
}

/** Rows of a list while it loads. */
export function SkeletonRows({ rows, height = 36 }: { rows: number; height?: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // Skeleton rows have no identity and never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={row} className="skel-row" style={{ height }}>
          <Skeleton width={`${38 - ((row * 7) % 16)}%`} height={12} />
          <Skeleton width="14%" height={12} />
          <Skeleton width="9%" height={12} />
        </div>
      ))}
    </div>
  );
}
