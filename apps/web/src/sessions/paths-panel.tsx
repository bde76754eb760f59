"use client";
import { useElementSize } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type PointerEvent, useCallback, useEffect, useRef, useState } from "react";
import {
  AXIS_HEIGHT,
  drawPaths,
  type PathScale,
  pathScale,
  ROW_HEIGHT,
} from "#sessions/draw-paths.ts";
import { FORK_WORDS } from "#sessions/fork-words.ts";
import type { PreparedTree, TreePart, TreeRow } from "#sessions/prepare-tree.ts";
import styles from "#sessions/sessions.module.css";
import { versionVariable } from "#steps/draw-swimlanes.ts";
import { type Brush, useCanvas } from "#steps/use-canvas.ts";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";

/** Of more rows half a row shows that there are more. */
const ROWS_SHOWN = 7.5;
/** Room that a fork's words need beside its bar; below NARROW the reason stands alone. */
const NARROW = 560;
const wordsWidth = (width: number) => (width < NARROW ? 130 : 270);

/** The tree as lines of tokens. A row that begins at a fork chooses it; a sampled run opens its call. */
export function PathsPanel({
  tree,
  chosen,
  onFork,
  onCall,
}: {
  tree: PreparedTree;
  /** Index of the row that stands out. */
  chosen: number | null;
  onFork: (callId: number) => void;
  onCall: (callId: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize();
  const [scrollTop, setScrollTop] = useState(0);
  const [hot, setHot] = useState<{ part: TreePart; x: number; y: number } | null>(null);
  const draw = useCallback(
    (brush: Brush) => drawPaths(brush, { tree, scrollTop, chosen }),
    [tree, scrollTop, chosen],
  );
  const canvas = useCanvas(draw);
  const virtual = useVirtualizer({
    count: tree.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
  });
  useEffect(() => {
    if (chosen !== null) virtual.scrollToIndex(chosen, { align: "auto" });
  }, [chosen, virtual]);
  const scale = pathScale(width, tree.longest);
  const height = Math.min(ROWS_SHOWN, tree.rows.length) * ROW_HEIGHT + 6;
  const under = (row: TreeRow, event: { clientX: number }) =>
    partAt(row, scale, event.clientX - (scroller.current?.getBoundingClientRect().left ?? 0));
  const hover = (row: TreeRow, event: PointerEvent) => {
    const box = scroller.current?.getBoundingClientRect();
    const part = under(row, event);
    setHot(part && box ? { part, x: event.clientX - box.left, y: event.clientY - box.top } : null);
  };
  return (
    <Panel
      title="Paths"
      note={`${tree.rows.length > ROWS_SHOWN ? `${tree.rows.length} rows, x` : "x"}: tokens from the root`}
      right={<Legend versions={tree.versions} />}
    >
      <div ref={sized} className={styles.paths} style={{ height: height + AXIS_HEIGHT }}>
        <canvas ref={canvas} aria-hidden="true" />
        <div
          ref={scroller}
          className={`${styles.pathRows} scroll`}
          style={{ height }}
          onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
          onPointerLeave={() => setHot(null)}
        >
          <ul style={{ height: virtual.getTotalSize(), position: "relative" }} aria-label="Paths">
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = tree.rows[index];
              if (!row) return null;
              return (
                <li key={row.id} style={{ transform: `translateY(${start}px)` }}>
                  <button
                    type="button"
                    className={styles.pathRow}
                    aria-pressed={index === chosen}
                    onPointerMove={(event) => hover(row, event)}
                    onClick={(event) => {
                      const part = event.detail === 0 ? null : under(row, event);
                      if (part?.callId != null) onCall(part.callId);
                      else if (row.fork) onFork(row.fork.call.id);
                    }}
                  >
                    <b title={row.name}>
                      {row.segmentId !== null && (
                        <span className={styles.pathNumber}>{row.segmentId} </span>
                      )}
                      {row.name}
                    </b>
                    <small>{row.note}</small>
                    <ForkLabel row={row} scale={scale} width={width} />
                  </button>
                </li>
              );
            })}
          </ul>
        </div>
        {hot && <Tip {...hot} width={width} />}
      </div>
    </Panel>
  );
}

/** The part under a place of a row, with a little grace around small ones. */
function partAt(row: TreeRow, scale: PathScale, x: number): TreePart | null {
  const token = (x - scale.left) / scale.pixelsPerToken;
  const grace = 3 / scale.pixelsPerToken;
  const near = row.parts.filter(
    (part) => token >= part.start - grace && token < part.start + part.tokens + grace,
  );
  return (
    near.find(({ kind }) => kind === "sampled") ??
    near.find((part) => token >= part.start && token < part.start + part.tokens) ??
    null
  );
}

/** Why the row begins, above its first token; left of it where there is no room to the right. */
function ForkLabel({ row, scale, width }: { row: TreeRow; scale: PathScale; width: number }) {
  if (!row.fork || width === 0) return null;
  const words = FORK_WORDS[row.fork.reason];
  const x = scale.left + row.start * scale.pixelsPerToken;
  const room = wordsWidth(width);
  const isFar = x + room > width && x > scale.left + room;
  const place = isFar
    ? { right: width - x + 10, top: 22 }
    : { left: Math.min(x + (row.isRoot ? 0 : 10), Math.max(scale.left, width - room)), top: 3 };
  return (
    <span className={styles.forkLabel} style={place}>
      <span className={`m ${words.planned ? "" : "warn-t"}`}>{row.fork.reason}</span>
      {width >= NARROW && <span className="i3">{words.short}</span>}
    </span>
  );
}

function Tip({ part, x, y, width }: { part: TreePart; x: number; y: number; width: number }) {
  const weights = part.version === null ? "version unknown" : `v${part.version}`;
  return (
    <span
      className={`tip ${styles.tip}`}
      style={{
        transform: `translate(${Math.max(0, Math.min(x + 12, width - 230))}px, ${y + 14}px)`,
      }}
    >
      <b>{part.kind === "given" ? part.role : `call ${part.callId}`}</b> {formatCount(part.tokens)}{" "}
      tokens at {formatCount(part.start)},{" "}
      {part.kind === "given"
        ? `given${part.lossy > 0 ? `, ${formatCount(part.lossy)} from the client's text in the model's place` : ""}`
        : `sampled by ${weights}, ${part.trained ? "trained" : "not trained"}`}
    </span>
  );
}

const VERSIONS_SHOWN = 4;

function Legend({ versions }: { versions: readonly number[] }) {
  return (
    <span className={styles.legend}>
      {versions.length > VERSIONS_SHOWN && (
        <span className="i3">{versions.length} versions, last</span>
      )}
      {versions.slice(-VERSIONS_SHOWN).map((version) => (
        <span key={version}>
          <i className="sw" style={{ background: `var(${versionVariable(version)})` }} />v{version}
        </span>
      ))}
      <span>
        <i className="sw hatch" style={{ border: "1px solid var(--line-2)" }} />
        given
      </span>
    </span>
  );
}
