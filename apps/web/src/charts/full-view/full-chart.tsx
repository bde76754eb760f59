"use client";
import { memo, useMemo } from "react";
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  XAxis,
  YAxis,
  ZIndexLayer,
} from "recharts";
import { type ChartSpan, SPAN_COLOR, visibleSpan } from "#charts/chart-span.ts";
import { type LineRow, lineRows } from "#charts/full-view/line-rows.ts";
import type { PaintLimit } from "#charts/paint-plot.ts";
import type { PlotLine } from "#charts/plot-line.ts";
import type { PlotMark } from "#charts/plot-marks.ts";
import { LABEL_GAP, MARGIN, type Plot, pixelsOf } from "#charts/prepare-plot.ts";

/** What is drawn besides the lines. */
export type FullExtras = {
  limit: PaintLimit | null;
  /** Lines that somebody set, with what to print beside each. */
  lines: readonly { value: number; text: string }[];
  spans: readonly ChartSpan[];
  eventSteps: readonly number[];
  noteSteps: readonly number[];
};

/** In Recharts' order of layers, in which lines are 400. */
const OVER_LINES = 700;
const NO_ANIMATION = { isAnimationActive: false, activeDot: false } as const;

/** A plot as Recharts draws it: axes, grid and lines as they were prepared; nothing is decided here. */
export const FullChart = memo(function FullChart({
  plot,
  size,
  extras,
}: {
  plot: Plot;
  size: { width: number; height: number };
  extras: FullExtras;
}) {
  const { box } = plot;
  const rows = useMemo(() => plot.lines.map((line) => lineRows(line, plot)), [plot]);
  const onY = (value: number) => (plot.isLog ? Math.log10(value) : value);
  const isOnY = (value: number) => onY(value) >= plot.y[0] && onY(value) <= plot.y[1];
  return (
    <ComposedChart
      width={size.width}
      height={size.height}
      margin={{ top: box.top, right: size.width - box.left - box.width, bottom: 0, left: 0 }}
      accessibilityLayer={false}
    >
      <CartesianGrid vertical={false} stroke="var(--grid)" />
      <XAxis
        type="number"
        dataKey="x"
        domain={[...plot.span]}
        allowDataOverflow
        ticks={plot.xLabels.map(({ tick }) => tick)}
        interval={0}
        height={MARGIN.bottom}
        axisLine={false}
        tickLine={false}
        tick={<XTick labels={plot.xLabels} />}
      />
      <YAxis
        type="number"
        domain={[...plot.y]}
        allowDataOverflow
        ticks={plot.yTicks}
        interval={0}
        width={box.left}
        axisLine={false}
        tickLine={false}
        tick={<YTick plot={plot} />}
      />
      {extras.spans.map((span) => SpanArea(span, plot))}
      {extras.limit !== null && isOnY(extras.limit.value) && LimitArea(extras.limit, plot, onY)}
      {extras.eventSteps.map((step) => (
        <ReferenceLine
          key={`event ${step}`}
          x={plot.place(step)}
          stroke="var(--ink-4)"
          strokeDasharray="1.5 3"
        />
      ))}
      {extras.noteSteps.map((step) => (
        <ReferenceLine key={`note ${step}`} x={plot.place(step)} stroke="var(--accent)" />
      ))}
      {plot.lines.map((line, index) => SeriesOf(line, rows[index] ?? [], index, plot.isStacked))}
      {extras.lines
        .filter(({ value }) => isOnY(value))
        .map(({ value, text }) => (
          <ReferenceLine
            key={value}
            y={onY(value)}
            stroke="var(--ink-3)"
            strokeDasharray="6 3"
            label={{ value: text, position: "insideTopRight", fill: "var(--ink-2)", fontSize: 11 }}
          />
        ))}
      <ZIndexLayer zIndex={OVER_LINES}>
        <EndNames plot={plot} />
        <Marks plot={plot} />
      </ZIndexLayer>
    </ComposedChart>
  );
});

/** The band, the raw values and the line of one series. */
function SeriesOf(line: PlotLine, rows: LineRow[], index: number, isStacked: boolean) {
  const color = `var(${line.color})`;
  const isHollow = line.isHollow === true;
  return [
    line.low !== null && (
      <Area
        key={`band ${index}`}
        {...NO_ANIMATION}
        data={rows}
        dataKey="band"
        type="linear"
        stroke="none"
        fill={color}
        fillOpacity={isStacked ? 0.38 : 0.13}
      />
    ),
    line.raw !== null && (
      <Line
        key={`raw ${index}`}
        {...NO_ANIMATION}
        data={rows}
        dataKey="raw"
        type="linear"
        stroke={color}
        strokeOpacity={0.28}
        strokeWidth={1}
        dot={false}
      />
    ),
    <Line
      key={`line ${index}`}
      {...NO_ANIMATION}
      data={rows}
      dataKey="y"
      type="linear"
      stroke={color}
      strokeWidth={1.8}
      strokeOpacity={isHollow ? 0.7 : 1}
      strokeDasharray={isHollow ? "2 2" : line.isDashed ? "5 3" : undefined}
      dot={
        isHollow || rows.some(({ isLone }) => isLone)
          ? (point: { cx?: number; cy?: number; index?: number }) => (
              <Point
                key={point.index}
                point={point}
                rows={rows}
                color={color}
                isHollow={isHollow}
              />
            )
          : false
      }
    />,
  ];
}

function Point({
  point: { cx, cy, index = -1 },
  rows,
  color,
  isHollow,
}: {
  point: { cx?: number; cy?: number; index?: number };
  rows: readonly LineRow[];
  color: string;
  isHollow: boolean;
}) {
  const row = rows[index];
  if (cx === undefined || cy === undefined || row === undefined || row.y === null) return null;
  if (isHollow)
    return <circle cx={cx} cy={cy} r={3} fill="var(--surface)" stroke={color} strokeWidth={1.6} />;
  return row.isLone ? <circle cx={cx} cy={cy} r={1.8} fill={color} /> : null;
}

function XTick({
  labels,
  payload,
  y = 0,
}: {
  labels: Plot["xLabels"];
  payload?: { value: number };
  y?: number;
}) {
  const label = labels.find(({ tick }) => tick === payload?.value);
  return label === undefined ? null : (
    <text className="ax" x={label.left} y={y + 4}>
      {label.text}
    </text>
  );
}

function YTick({ plot, payload, y = 0 }: { plot: Plot; payload?: { value: number }; y?: number }) {
  return (
    <text className="ax" x={plot.box.left - LABEL_GAP} y={y + 3.5} textAnchor="end">
      {plot.yLabels[plot.yTicks.indexOf(payload?.value ?? Number.NaN)]}
    </text>
  );
}

function SpanArea(span: ChartSpan, plot: Plot) {
  const steps = visibleSpan(span, plot.x);
  if (steps === null) return null;
  const { fill, mark } = SPAN_COLOR[span.severity];
  return (
    <ReferenceArea
      key={`${span.from} ${span.label}`}
      x1={plot.place(steps[0])}
      x2={plot.place(steps[1])}
      ifOverflow="hidden"
      fill={`var(${fill})`}
      fillOpacity={1}
      stroke={`var(${mark})`}
      strokeOpacity={0.5}
    />
  );
}

function LimitArea(limit: PaintLimit, plot: Plot, onY: (value: number) => number) {
  const edge = onY(limit.value);
  const far = limit.side === "above" ? plot.y[1] : plot.y[0];
  return [
    limit.isBare !== true && (
      <ReferenceArea
        key="limit area"
        y1={edge}
        y2={far}
        fill="var(--warn-soft)"
        fillOpacity={0.7}
        stroke="none"
      />
    ),
    <ReferenceLine
      key="limit"
      y={edge}
      stroke="var(--warn-mark)"
      strokeDasharray="3 3"
      label={{ value: limit.words, position: "insideTopLeft", fill: "var(--warn)", fontSize: 11 }}
    />,
  ];
}

function EndNames({ plot }: { plot: Plot }) {
  const right = plot.box.left + plot.box.width;
  return plot.endLabels.map(({ text, color, y }) => (
    <g key={text} transform={`translate(${right + LABEL_GAP} ${plot.box.top + y})`}>
      <rect width={6} height={6} y={-3} fill={`var(${color})`} />
      <text className="ax end-name" x={9} y={3.5}>
        {text}
      </text>
    </g>
  ));
}

/** Points that are not finite or lie beyond an end of the y axis, at the plot's edge. */
function Marks({ plot }: { plot: Plot }) {
  const { box } = plot;
  const toPixels = pixelsOf(plot);
  return plot.marks.map((mark) => {
    const [left, right] = [toPixels.x(mark.from), toPixels.x(mark.to)];
    const isBelow = mark.kind === "below";
    const color = `var(${mark.color})`;
    const edge = isBelow ? box.height - 1.5 : 0;
    return (
      <g
        key={`${mark.kind} ${mark.color} ${mark.from}`}
        transform={`translate(${box.left} ${box.top})`}
      >
        <title>{markWords(mark)}</title>
        {right > left && <rect x={left} y={edge} width={right - left} height={1.5} fill={color} />}
        <path
          transform={`translate(${(left + right) / 2} ${isBelow ? box.height : 0})`}
          d={SIGNS[mark.kind]}
          fill={mark.kind === "nan" ? "none" : color}
          stroke={color}
          strokeWidth={mark.kind === "nan" ? 1.6 : 0}
        />
      </g>
    );
  });
}

const UP = "M0 2l4 7h-8z";
const SIGNS = {
  nan: "M-3 2l6 6M3 2l-6 6",
  infinite: UP,
  above: UP,
  below: "M0 0l4-7h-8z",
} as const satisfies Record<PlotMark["kind"], string>;

function markWords({ kind, count }: PlotMark): string {
  const points = count === 1 ? "1 point" : `${count} points`;
  const what = {
    nan: "NaN",
    infinite: "infinite",
    above: "above the axis",
    below: "below the axis",
  };
  return `${points}: ${what[kind]}`;
}
