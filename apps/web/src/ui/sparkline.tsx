import { shareBetween } from "#ui/share-between.ts";

/** A small line that ends in a dot at its last value. Gaps stay gaps. Decorative: print the number beside it. */
export function Sparkline({
  values,
  width = 84,
  height = 22,
  color = "var(--c1)",
  min,
  max,
}: {
  values: readonly (number | null)[];
  width?: number;
  height?: number;
  color?: string;
  min?: number;
  max?: number;
}) {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length === 0) return <svg width={width} height={height} aria-hidden="true" />;
  const low = min ?? Math.min(...known);
  const high = max ?? Math.max(...known);
  const x = (index: number) => 2 + (index / Math.max(1, values.length - 1)) * (width - 5);
  const y = (value: number) => height - 3 - shareBetween(low, high, value) * (height - 6);
  let path = "";
  let isDown = false;
  let last: [number, number] = [0, 0];
  values.forEach((value, index) => {
    if (value === null || !Number.isFinite(value)) {
      isDown = false;
      return;
    }
    last = [x(index), y(value)];
    path += `${isDown ? "L" : "M"}${last[0].toFixed(1)} ${last[1].toFixed(1)}`;
    isDown = true;
  });
  return (
    <svg width={width} height={height} aria-hidden="true" style={{ flex: "none" }}>
      <path d={path} fill="none" stroke={color} strokeWidth="1.4" strokeLinejoin="round" />
      <circle cx={last[0]} cy={last[1]} r="2" fill={color} />
    </svg>
  );
}
