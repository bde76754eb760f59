export type DotKind = "ok" | "warn" | "bad" | "run" | "off" | "boot" | "live" | "none" | "stop";

/** Shape first: round is fine, a diamond wants a look, a square is bad, hollow is nothing yet. Always set a word beside it. */
export function StatusDot({ kind, size, title }: { kind: DotKind; size?: number; title?: string }) {
  const box = size === undefined ? undefined : { width: size, height: size };
  if (title === undefined) return <span className={`dot ${kind}`} style={box} aria-hidden="true" />;
  return <span className={`dot ${kind}`} style={box} role="img" aria-label={title} title={title} />;
}
