/** A thin bar: `share` of 1 filled. Decorative: print the numbers beside it. */
export function Meter({ share, width, color }: { share: number; width: number; color?: string }) {
  const percent = Math.max(0, Math.min(1, share)) * 100;
  return (
    <span className="bar" style={{ width, display: "inline-flex" }} aria-hidden="true">
      <i style={{ width: `${percent}%`, background: color }} />
    </span>
  );
}
