"use client";
import { XAxis } from "@liverl/contract/metrics-view";
import { ActionIcon, Button, Menu, Slider, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useChartScene } from "#charts/chart-scene.tsx";
import { type FullLook, parseYRange } from "#charts/full-view/full-look.ts";
import styles from "#charts/full-view/full-view.module.css";
import { chartAsSvg, saveFile, svgAsPng } from "#charts/full-view/save-chart.ts";
import { seriesCsv } from "#charts/full-view/series-csv.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import type { Plot } from "#charts/prepare-plot.ts";
import { useThemeColors } from "#charts/theme-colors.ts";
import { formatValue } from "#charts/value-format.ts";
import { Chip } from "#ui/chip.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";
import { Seg } from "#ui/seg.tsx";

const AXES = [
  { value: "step", label: "Step" },
  { value: "wall", label: "Wall time" },
  { value: "relative", label: "Relative", title: "Time since the run's first point" },
  { value: "tokens", label: "Tokens", title: "Tokens trained on" },
] as const satisfies { value: XAxis; label: string; title?: string }[];

export function nextAxis(x: XAxis): XAxis {
  const all = XAxis.options;
  return all[(all.indexOf(x) + 1) % all.length] ?? "step";
}

/** The panel's name, and all that can be chosen of how it is drawn. */
export function FullToolbar({
  panel,
  shown,
  view,
  plot,
  chartOf,
}: {
  panel: PanelSpec;
  /** Without the hidden series. */
  shown: PanelSpec;
  view: FullLook;
  plot: Plot;
  chartOf: () => SVGSVGElement | null;
}) {
  const { range, window, showAll } = useChartScene();
  const { look, change } = view;
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <h2 className="m">{panel.title}</h2>
        <span className="i3 trunc">{panel.why}</span>
        <span className="end row g4">
          <SaveMenu {...{ shown, plot, chartOf }} />
          <ActionIcon size={28} title="Close (Esc)" aria-label="Close" onClick={view.close}>
            <Icon name="x" size={15} />
          </ActionIcon>
        </span>
      </div>
      <div className={styles.tools}>
        <Seg label="X axis" value={look.x} options={AXES} onChange={(fx) => change({ fx })} />
        <span className={styles.slider}>
          <span className="f12 i2">Smooth</span>
          <Smoothing value={look.smoothing} onChange={(fsm) => change({ fsm })} />
        </span>
        <Chip
          tone={look.isLog ? "on" : "neutral"}
          pressed={look.isLog}
          title="Logarithmic y axis (l)"
          onClick={() => change({ flog: !look.isLog })}
        >
          Log y
        </Chip>
        <Chip
          tone={look.hasBand ? "on" : "neutral"}
          pressed={look.hasBand}
          title="Band from minimum to maximum (b)"
          onClick={() => change({ fband: !look.hasBand })}
        >
          Band
        </Chip>
        <YRangeForm view={view} />
        <ReferenceLines panel={panel} view={view} />
        {(range !== null || window !== null) && (
          <Button size="compact-sm" onClick={showAll} title="z">
            {range === null ? "Reset zoom" : `Reset zoom (${range[0]}–${range[1]})`}
          </Button>
        )}
        {plot.belowLog > 0 && (
          <span className="f12 i2" title="A log axis has no place for zero and below">
            {plot.belowLog} ≤ 0, marked at the bottom
          </span>
        )}
        {plot.blind !== null && (
          <span className="f12 warn-t">
            {plot.blind === "tokens" ? "Tokens not logged" : "All points have one time"}
          </span>
        )}
      </div>
    </header>
  );
}

function Smoothing({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const [held, setHeld] = useState<number | null>(null);
  const shown = held ?? value;
  return (
    <>
      <Slider
        w={110}
        size="xs"
        min={0}
        max={0.99}
        step={0.01}
        value={shown}
        label={null}
        thumbLabel="Smoothing"
        onChange={setHeld}
        onChangeEnd={(next) => {
          setHeld(null);
          onChange(next);
        }}
      />
      <span className={styles.figure}>{shown.toFixed(2)}</span>
    </>
  );
}

function YRangeForm({ view }: { view: FullLook }) {
  const [low, high] = view.yRange ?? [null, null];
  const [draft, setDraft] = useState<{ low: string; high: string } | null>(null);
  const shown = draft ?? { low: low?.toString() ?? "", high: high?.toString() ?? "" };
  const isEmpty = shown.low === "" && shown.high === "";
  const parsed = isEmpty ? null : parseYRange(`${shown.low.trim()}:${shown.high.trim()}`);
  const isWrong = !isEmpty && parsed === null;
  function apply(event?: FormEvent): void {
    event?.preventDefault();
    if (isWrong || draft === null) return;
    setDraft(null);
    view.change({ fy: parsed });
  }
  const input = (end: "low" | "high", label: string) => (
    <TextInput
      w={72}
      size="xs"
      inputMode="decimal"
      aria-label={label}
      placeholder={end === "low" ? "min" : "max"}
      value={shown[end]}
      error={isWrong}
      onChange={(event) => setDraft({ ...shown, [end]: event.currentTarget.value })}
      onBlur={() => apply()}
    />
  );
  return (
    <form className="row g4" onSubmit={apply}>
      <span className="f12 i2">Y</span>
      {input("low", "Lowest value of the y axis")}
      {input("high", "Highest value of the y axis")}
      <button type="submit" hidden />
      {isWrong && (
        <span className="f12 bad-t" role="alert">
          Two numbers, the lower one first
        </span>
      )}
    </form>
  );
}

/** Lines that somebody set: to see what is above and below a value. */
function ReferenceLines({ panel, view }: { panel: PanelSpec; view: FullLook }) {
  const [text, setText] = useState("");
  const value = Number(text);
  const isNumber = text.trim() !== "" && Number.isFinite(value);
  return (
    <form
      className="row g4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isNumber) return;
        setText("");
        view.change({ ref: [...new Set([...view.lines, value])] });
      }}
    >
      <TextInput
        w={104}
        size="xs"
        inputMode="decimal"
        aria-label="Value of a reference line"
        placeholder="Add a line at…"
        value={text}
        error={text.trim() !== "" && !isNumber}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {view.lines.map((line) => (
        <Chip
          key={line}
          title="Remove the line"
          onClick={() => {
            const rest = view.lines.filter((one) => one !== line);
            view.change({ ref: rest.length === 0 ? null : rest });
          }}
        >
          {formatValue(panel.format, line)} ×
        </Chip>
      ))}
    </form>
  );
}

function SaveMenu({
  shown,
  plot,
  chartOf,
}: {
  shown: PanelSpec;
  plot: Plot;
  chartOf: () => SVGSVGElement | null;
}) {
  const { range, sourceOf } = useChartScene();
  const colorOf = useThemeColors();
  const name = shown.title.replace(/[^\w.-]+/g, "_");
  const saving = useMutation({
    mutationFn: async (format: "png" | "svg" | "csv") => {
      if (format === "csv") {
        const keys = shown.series.flatMap(({ key, band }) => [key, ...(band ?? [])]);
        saveFile(await seriesCsv(keys.map(sourceOf), range), `${name}.csv`);
        return;
      }
      const chart = chartOf();
      if (chart === null) throw new Error("There is no chart to save yet.");
      const picture = chartAsSvg(chart, {
        title: shown.title,
        note: `${shown.why} · steps ${plot.x[0]}–${plot.x[1]}${plot.isLog ? " · log y" : ""}`,
        legend: shown.series.map(({ color, label }) => ({ color, text: label })),
        colorOf,
      });
      const file =
        format === "png"
          ? await svgAsPng(picture)
          : new Blob([picture.text], { type: "image/svg+xml" });
      saveFile(file, `${name}.${format}`);
    },
    onError: (error) =>
      notifications.show({
        ...{ color: "red", title: "Could not save the chart", autoClose: 10_000 },
        message: describeError(error).message,
      }),
  });
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <Button
          size="compact-sm"
          leftSection={<Icon name="down" size={13} />}
          loading={saving.isPending}
        >
          Save
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saving.mutate("png")}>
          PNG<span className="act-why">The chart as it is shown, twice as sharp</span>
        </Menu.Item>
        <Menu.Item onClick={() => saving.mutate("svg")}>
          SVG<span className="act-why">The same, as lines and text</span>
        </Menu.Item>
        <Menu.Item onClick={() => saving.mutate("csv")}>
          CSV<span className="act-why">Every point of the steps shown, not buckets</span>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
