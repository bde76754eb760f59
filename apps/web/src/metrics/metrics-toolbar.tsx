"use client";
import type { MetricsView, PanelSize, XAxis } from "@liverl/contract/metrics-view";
import { ActionIcon, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import classes from "#metrics/metrics-page.module.css";
import { Chip } from "#ui/chip.tsx";
import { Icon } from "#ui/icon.tsx";
import { Seg } from "#ui/seg.tsx";

const WEIGHTS = [
  { value: "0", label: "Off" },
  { value: "0.6", label: "0.6" },
  { value: "0.9", label: "0.9" },
  { value: "0.97", label: "0.97" },
] as const;
const SIZES = [
  { value: "s", label: "S", title: "Small panels, many side by side" },
  { value: "m", label: "M", title: "Medium panels" },
  { value: "l", label: "L", title: "Large panels" },
] as const satisfies { value: PanelSize; label: string; title?: string }[];
const AXES = [
  { value: "step", label: "Step" },
  { value: "wall", label: "Wall time" },
  { value: "relative", label: "Relative", title: "Wall time since the first point" },
  { value: "tokens", label: "Tokens", title: "Tokens trained on" },
] as const satisfies { value: XAxis; label: string; title?: string }[];

/** What all panels share: the x axis, smoothing, how the y axis is drawn, and the zoomed steps. */
export function MetricsToolbar({
  state,
  change,
  onAnnotate,
  children,
}: {
  state: MetricsView;
  change: (patch: Partial<MetricsView>) => void;
  onAnnotate?: () => void;
  /** At the end: what is done with the page as a whole. */
  children?: ReactNode;
}) {
  const { range, window, showAll } = useChartScene();
  const { smoothing, isClipped, isLog, hasBand } = state;
  const weight = WEIGHTS.find(({ value }) => Number(value) >= smoothing)?.value ?? "0.97";
  return (
    <div className={classes.tools}>
      <Seg label="X axis" value={state.x} options={AXES} onChange={(x) => change({ x })} />
      <span className="row g4">
        <span className="f12 i2">Smooth</span>
        <Seg
          label="Smoothing"
          value={weight}
          options={WEIGHTS}
          onChange={(next) => change({ smoothing: Number(next) })}
        />
      </span>
      <span className="row g4">
        <Chip
          tone={isClipped ? "on" : "neutral"}
          pressed={isClipped}
          title="Leaves out what lies beyond the 1st and 99th percentile; each panel tells how many points "
          onClick={() => change({ isClipped: !isClipped })}
        >
          p1–p99 clip
        </Chip>
        <Chip
          tone={isLog ? "on" : "neutral"}
          pressed={isLog}
          title="Logarithmic y axis"
          onClick={() => change({ isLog: !isLog })}
        >
          Log y
        </Chip>
        <Chip
          tone={hasBand ? "on" : "neutral"}
          pressed={hasBand}
          title="Band from minimum to maximum"
          onClick={() => change({ hasBand: !hasBand })}
        >
          Band
        </Chip>
      </span>
      <Seg
        label="Panel size"
        value={state.size}
        options={SIZES}
        onChange={(size) => change({ size })}
      />
      <span className="grow" />
      {range === null && window === null ? (
        <span className={`f12 i3 ${classes.hint}`}>drag on a panel to zoom all</span>
      ) : (
        <span className="row g4">
          {range !== null && (
            <span className="f12 i2 nowrap">
              steps {range[0]}–{range[1]}
            </span>
          )}
          <Button size="compact-sm" title="z" onClick={showAll}>
            Show all steps
          </Button>
        </span>
      )}
      <span className="row g4">
        {onAnnotate !== undefined && (
          <ActionIcon
            size={26}
            title="Annotate a step"
            aria-label="Annotate a step"
            onClick={onAnnotate}
          >
            <Icon name="flag" size={14} />
          </ActionIcon>
        )}
        {children}
      </span>
    </div>
  );
}
