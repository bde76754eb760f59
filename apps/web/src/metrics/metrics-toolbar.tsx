"use client";
import { Button } from "@mantine/core";
import { parseAsFloat, useQueryState } from "nuqs";
import { useChartScene } from "#charts/chart-scene.tsx";
import classes from "#metrics/metrics-page.module.css";
import { Seg } from "#ui/seg.tsx";

const WEIGHTS = [
  { value: "0", label: "Off" },
  { value: "0.6", label: "0.6" },
  { value: "0.9", label: "0.9" },
  { value: "0.97", label: "0.97" },
] as const;

/** What all panels share: smoothing and the zoomed steps. */
export function MetricsToolbar() {
  const { range, setRange } = useChartScene();
  const [smoothing, setSmoothing] = useQueryState("sm", parseAsFloat.withDefault(0));
  const value = WEIGHTS.find((weight) => Number(weight.value) >= smoothing)?.value ?? "0.97";
  return (
    <div className={classes.tools}>
      <span className="f12 i2">Smooth</span>
      <Seg
        label="Smoothing"
        value={value}
        options={WEIGHTS}
        onChange={(next) => void setSmoothing(next === "0" ? null : Number(next))}
      />
      <span className="grow" />
      {range === null ? (
        <span className="f12 i3">drag on a panel to zoom all</span>
      ) : (
        <>
          <span className="f12 i2">
            steps {range[0]}–{range[1]}
          </span>
          <Button size="compact-sm" onClick={() => setRange(null)}>
            Show all steps
          </Button>
        </>
      )}
    </div>
  );
}
