"use client";
import { useElementSize } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useChartScene } from "#charts/chart-scene.tsx";
import styles from "#compare/compare.module.css";
import { type Alignment, prepareAligned } from "#compare/prepare-aligned.ts";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { eventHref } from "#overview/event-href.ts";
import { EventMark } from "#overview/event-mark.tsx";
import { Glyph } from "#overview/glyph.tsx";
import { GLYPH_WORDS, type GlyphKind, type RibbonGlyph } from "#overview/prepare-ribbon.ts";
import { runHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const PAD = 6;
const LIMIT = 2_000;

/** What happened to each run, a line each, under one scale. */
export function AlignedEvents({
  project,
  runs,
}: {
  project: string;
  runs: readonly ComparedRun[];
}) {
  const trpc = useTRPC();
  const { range } = useChartScene();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [by, setBy] = useQueryState(
    "ev",
    parseAsStringLiteral(["step", "time"]).withDefault("step"),
  );
  const queries = useQueries({
    queries: runs.map(({ id }) => trpc.run.events.queryOptions({ id, limit: LIMIT })),
  });
  const failed = queries.find(({ isError }) => isError);
  const inner = Math.max(0, width - PAD * 2);
  const events = runs.map(({ id }, at) => ({ runId: id, events: queries[at]?.data?.events ?? [] }));
  const { ribbons, ticks } = prepareAligned(events, { by, range, width: inner });
  const kinds = (Object.keys(GLYPH_WORDS) as GlyphKind[]).filter((kind) =>
    [...ribbons.values()].some((ribbon) => ribbon.kinds.includes(kind)),
  );
  return (
    <Panel
      title="Events"
      note={by === "step" ? "by step" : "by time since each run’s first event"}
      right={
        <Seg
          label="Events aligned by"
          value={by}
          options={[
            { value: "step", label: "Step" },
            { value: "time", label: "Time", title: "Time since the run’s first event" },
          ]}
          onChange={(next) => void setBy(next === "step" ? null : next)}
        />
      }
    >
      {failed ? (
        <ErrorState
          what="The events could not be read"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : queries.some(({ isPending }) => isPending) ? (
        <SkeletonRows rows={runs.length} />
      ) : (
        <div className={styles.events}>
          <div className={styles.legend}>
            {kinds.map((kind) => (
              <span key={kind} className="row g4">
                <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
                  <Glyph kind={kind} />
                </svg>
                {GLYPH_WORDS[kind]}
              </span>
            ))}
          </div>
          {runs.map((run, at) => (
            <div key={run.id} className={styles.line}>
              <span className="row g4 trunc" title={run.id}>
                <span className="sw" style={{ background: `var(${run.color})` }} />
                <span className="trunc">{run.name}</span>
              </span>
              <div ref={at === 0 ? ref : undefined} className={styles.track}>
                {inner > 0 && (
                  <svg width={width} height="26" role="group" aria-label={`Events of ${run.name}`}>
                    <g transform={`translate(${PAD} 0)`}>
                      <line x1="0" x2={inner} y1="13" y2="13" stroke="var(--line-2)" />
                      {ribbons.get(run.id)?.syncs.map((left) => (
                        <line
                          key={left}
                          x1={left}
                          x2={left}
                          y1="11"
                          y2="15"
                          stroke="var(--ink-4)"
                          opacity=".6"
                        />
                      ))}
                      {ribbons.get(run.id)?.glyphs.map((glyph) => (
                        <EventMark
                          key={glyph.id}
                          glyph={glyph}
                          words={wordsOf(glyph, by)}
                          href={
                            by === "step"
                              ? eventHref(project, run.id, glyph)
                              : runHref(project, run.id, "events")
                          }
                        />
                      ))}
                    </g>
                  </svg>
                )}
              </div>
            </div>
          ))}
          <div className={styles.line} aria-hidden="true">
            <span />
            <svg width={width} height="14" aria-hidden="true">
              {ticks.map(({ at, left }) => (
                <text
                  key={at}
                  className="ax"
                  x={left + PAD}
                  y="10"
                  textAnchor={anchorOf(left, inner)}
                >
                  {by === "step" ? at : formatDuration(at)}
                </text>
              ))}
            </svg>
          </div>
        </div>
      )}
    </Panel>
  );
}

const anchorOf = (left: number, width: number) =>
  left < 20 ? "start" : left > width - 20 ? "end" : "middle";

function wordsOf({ kind, step, words }: RibbonGlyph, by: Alignment): string {
  const place = by === "step" ? `at step ${step}` : `after ${formatDuration(step)}`;
  return `${GLYPH_WORDS[kind]} ${place}: ${words}`;
}
