"use client";
import type { Finding, RunEvent } from "@liverl/contract/run";
import { useElementSize } from "@mantine/hooks";
import { parseAsFloat, useQueryState } from "nuqs";
import { useMemo } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { prepareXTicks } from "#charts/prepare-x-ticks.ts";
import { useSeriesVersion } from "#charts/use-series-version.ts";
import { useXScale } from "#charts/use-x-scale.ts";
import { positionOfStep } from "#charts/x-scale.ts";
import { eventHref } from "#overview/event-href.ts";
import { EventMark } from "#overview/event-mark.tsx";
import { Glyph } from "#overview/glyph.tsx";
import { GLYPH_WORDS, prepareRibbon } from "#overview/prepare-ribbon.ts";
import { Seg } from "#ui/seg.tsx";

const PAD = 6;
const LAST_STEPS = 50;
const NO_FINDINGS: readonly Finding[] = [];

/** All events of the run on one line over all panels, and the switches that all panels share. */
export function EventRibbon({
  project,
  runId,
  events,
  findings = NO_FINDINGS,
  keys,
  hasTools = true,
  onNotes,
}: {
  project: string;
  runId: string;
  events: readonly RunEvent[];
  findings?: readonly Finding[] | undefined;
  keys: readonly string[];
  /** Whether smoothing and the steps shown are chosen here. */
  hasTools?: boolean;
  /** Opens what people wrote at a step; a link to the events where it is left out. */
  onNotes?: (step: number) => void;
}) {
  const scene = useChartScene();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [smoothing, setSmoothing] = useQueryState("sm", parseAsFloat.withDefault(0));
  const version = useSeriesVersion(scene.store, keys);
  const scale = useXScale(version);
  const inner = Math.max(0, width - PAD * 2);
  // `version` stands for the store's extent, which grows in place.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const { ribbon, all } = useMemo(() => {
    const { extent } = scene.store;
    const all = extent ?? [0, 1];
    const steps = scene.range ?? all;
    const span = [positionOfStep(steps[0], scale), positionOfStep(steps[1], scale)] as const;
    // Before the first point there is no step to name.
    const ticks = extent === null ? undefined : prepareXTicks(scale.mode, span, inner / 2);
    return {
      all,
      ribbon: prepareRibbon(
        events,
        inner,
        { steps, scale, ticks, isWhole: scene.range === null },
        findings,
      ),
    };
  }, [version, scene.range, scene.store, scale, events, findings, inner]);
  const isAll = scene.range === null;
  const isLast =
    scene.range !== null &&
    scene.range[1] >= all[1] &&
    scene.range[0] === Math.max(all[0], all[1] - LAST_STEPS);

  return (
    <section className="panel ribbon" aria-label="Events">
      <div className="leg">
        <h2 className="ph-title">Events</h2>
        {ribbon.kinds.map((kind) => (
          <span key={kind}>
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
              <Glyph kind={kind} />
            </svg>
            {GLYPH_WORDS[kind]}
          </span>
        ))}
        {ribbon.syncs.length > 0 && (
          <span>
            <svg width="12" height="12" aria-hidden="true">
              <path d="M2 2v8M6 2v8M10 2v8" stroke="var(--ink-4)" />
            </svg>
            Weight sync
          </span>
        )}
        {hasTools && (
          <span className="end row">
            <span className="i3 hide-lg">Smooth</span>
            <Seg
              label="Smoothing"
              value={smoothing === 0 ? "0" : smoothing < 0.8 ? "0.6" : "0.9"}
              options={[
                { value: "0", label: "Off" },
                { value: "0.6", label: "0.6" },
                { value: "0.9", label: "0.9" },
              ]}
              onChange={(value) => void setSmoothing(value === "0" ? null : Number(value))}
            />
            <Seg
              label="Steps shown"
              value={isAll ? "all" : isLast ? "last" : "zoom"}
              options={[
                ...(isAll || isLast
                  ? []
                  : [{ value: "zoom", label: `${scene.range?.[0]}–${scene.range?.[1]}` }]),
                { value: "last", label: `Last ${LAST_STEPS}` },
                { value: "all", label: "All", title: "Double click on a panel does the same" },
              ]}
              onChange={(value) => {
                if (value === "all") scene.setRange(null);
                if (value === "last")
                  scene.setRange([Math.max(all[0], all[1] - LAST_STEPS), all[1]]);
              }}
            />
          </span>
        )}
      </div>
      <div ref={ref} style={{ height: 30 }}>
        {inner > 0 && (
          <svg width={width} height="30" role="group" aria-label="Events of the run">
            <g transform={`translate(${PAD} 0)`}>
              <line aria-hidden="true" x1="0" x2={inner} y1="13" y2="13" stroke="var(--line-2)" />
              {ribbon.spans.map(({ key, left, width, level, words }) => (
                <rect
                  key={key}
                  x={left}
                  y="9"
                  width={width}
                  height="8"
                  fill={level === "bad" ? "var(--bad-mark)" : "var(--warn-mark)"}
                  opacity=".28"
                >
                  <title>{words}</title>
                </rect>
              ))}
              {ribbon.syncs.map((left) => (
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
              {ribbon.glyphs.map((glyph) => (
                <EventMark
                  key={glyph.id}
                  glyph={glyph}
                  onOpen={
                    glyph.kind === "annotation" && onNotes !== undefined
                      ? () => onNotes(glyph.step)
                      : undefined
                  }
                  words={`${GLYPH_WORDS[glyph.kind]} at step ${glyph.step}: ${glyph.words}`}
                  href={eventHref(project, runId, glyph)}
                />
              ))}
              {ribbon.ticks.map(({ label, left }, index) => (
                <text
                  key={left}
                  aria-hidden="true"
                  className="ax"
                  x={left}
                  y="29"
                  textAnchor={
                    index === 0 ? "start" : index === ribbon.ticks.length - 1 ? "end" : "middle"
                  }
                >
                  {label}
                </text>
              ))}
            </g>
          </svg>
        )}
      </div>
    </section>
  );
}
