import type { GlyphKind } from "#overview/prepare-ribbon.ts";

/** An event's mark around (0, 0): told by shape first. */
export function Glyph({ kind }: { kind: GlyphKind }) {
  switch (kind) {
    case "start":
      return <circle r="3.5" fill="var(--ink-2)" />;
    case "checkpoint":
      return (
        <path
          d="M0-4.2 4.2 0 0 4.2-4.2 0z"
          fill="var(--surface)"
          stroke="var(--ink-3)"
          strokeWidth="1.3"
        />
      );
    case "evaluation":
      return <circle r="3" fill="var(--surface)" stroke="var(--c1)" strokeWidth="1.4" />;
    case "stop":
      return <rect x="-3.5" y="-3.5" width="7" height="7" rx="1" fill="var(--c6)" />;
    case "crash":
      return (
        <path
          d="M-3.5-3.5l7 7m0-7l-7 7"
          stroke="var(--bad-mark)"
          strokeWidth="2"
          strokeLinecap="round"
        />
      );
    case "resume":
      return <path d="M-3-4l7 4-7 4z" fill="var(--ok-mark)" />;
    case "fork":
      return (
        <path
          d="M0 4.5V0M0 0l-3.5-4M0 0l3.5-4"
          fill="none"
          stroke="var(--ink-2)"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
      );
    case "annotation":
      return (
        <path d="M-3 4.500v-9l7 2.800-5.600 2.400" fill="var(--accent)" stroke="var(--accent)" />
      );
    case "alert-over":
      return (
        <path
          d="M0-4.2l4.400 7.600h-8.800z"
          fill="var(--surface)"
          stroke="var(--ink-3)"
          strokeWidth="1.2"
        />
      );
    case "finding":
      return <path d="M0 4.8l5-8.8h-10z" fill="var(--bad-mark)" />;
    case "alert":
      return <path d="M0-4.8l5 8.8h-10z" fill="var(--warn-mark)" />;
  }
}
