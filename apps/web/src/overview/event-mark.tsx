import { Glyph } from "#overview/glyph.tsx";
import type { RibbonGlyph } from "#overview/prepare-ribbon.ts";
import { Link } from "#ui/link.tsx";

/** An event on a ribbon's line; a link to what it tells of. */
export function EventMark({
  glyph,
  words,
  href,
  onOpen,
}: {
  glyph: RibbonGlyph;
  words: string;
  href: string;
  onOpen?: (() => void) | undefined;
}) {
  return (
    <Link
      href={href}
      aria-label={words}
      onClick={(event) => {
        if (onOpen === undefined) return;
        event.preventDefault();
        onOpen();
      }}
    >
      <g transform={`translate(${glyph.left} 13)`}>
        <circle r="7" fill="transparent" />
        <Glyph kind={glyph.kind} />
        <title>{words}</title>
      </g>
    </Link>
  );
}
