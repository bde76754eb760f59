"use client";
import { useChartScene } from "#charts/chart-scene.tsx";
import { SPAN_COLOR, visibleSpan } from "#charts/chart-span.ts";
import type { FullLook } from "#charts/full-view/full-look.ts";
import styles from "#charts/full-view/full-view.module.css";
import { type SeriesStats, seriesStats } from "#charts/full-view/series-stats.ts";
import type { PanelSpec } from "#charts/panel-spec.ts";
import type { Plot, PlotSeries } from "#charts/prepare-plot.ts";
import { formatValue } from "#charts/value-format.ts";
import { Icon } from "#ui/icon.tsx";

/** The legend: each series with its figures over the steps shown. A click hides it or brings it back. */
export function SeriesTable({
  panel,
  shown,
  plot,
  drawn,
  view,
}: {
  panel: PanelSpec;
  shown: PanelSpec;
  plot: Plot;
  drawn: readonly PlotSeries[];
  view: FullLook;
}) {
  const statsOf = (key: string): SeriesStats | null => {
    const series = drawn[shown.series.findIndex((one) => one.key === key)];
    return series === undefined ? null : seriesStats(series, plot);
  };
  const spans = useChartScene().spans.filter((span) => visibleSpan(span, plot.x) !== null);
  const hide = (keys: readonly string[]) =>
    view.change({ hide: keys.length === 0 ? null : [...keys] });
  const toggle = (key: string) =>
    hide(
      view.hidden.has(key) ? [...view.hidden].filter((one) => one !== key) : [...view.hidden, key],
    );
  const others = (key: string) => panel.series.flatMap((one) => (one.key === key ? [] : one.key));
  const write = (value: number | null | undefined) => formatValue(panel.format, value ?? null);
  return (
    <div className={`${styles.series} scroll`}>
      <table className="t" aria-label="Series">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col" className="num">
              Last
            </th>
            <th scope="col" className="num">
              Min
            </th>
            <th scope="col" className="num">
              Max
            </th>
            <th scope="col" className="num">
              Mean
            </th>
          </tr>
        </thead>
        <tbody>
          {panel.series.map(({ key, label, color }) => {
            const isHidden = view.hidden.has(key);
            const stats = isHidden ? null : statsOf(key);
            return (
              <tr key={key} className={isHidden ? styles.hidden : undefined}>
                <td>
                  <button
                    type="button"
                    className={styles.toggle}
                    aria-pressed={!isHidden}
                    title={`${label}: click to ${isHidden ? "show" : "hide"}, double click for this one alone`}
                    onClick={() => toggle(key)}
                    onDoubleClick={() => hide(others(key))}
                  >
                    <i className="sw" style={{ background: `var(${color})` }} />
                    <span>{label}</span>
                    {isHidden && <Icon name="eye" size={12} />}
                  </button>
                </td>
                <td className="num" title={stats?.last ? `At step ${stats.last.step}` : undefined}>
                  {write(stats?.last?.value)}
                </td>
                <td className="num">{write(stats?.min)}</td>
                <td className="num">{write(stats?.max)}</td>
                <td
                  className="num"
                  title={
                    stats?.isMeanOfBuckets
                      ? "Mean of the last value of each bucket; zoom in for every point"
                      : undefined
                  }
                >
                  {stats?.isMeanOfBuckets && "≈ "}
                  {write(stats?.mean)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {spans.length > 0 && (
        <ul className={styles.marks} aria-label="Marked steps">
          {spans.map(({ from, severity, label }) => (
            <li key={`${from} ${label}`}>
              <i className="sw" style={{ background: `var(${SPAN_COLOR[severity].mark})` }} />
              {label}
            </li>
          ))}
        </ul>
      )}
      <p className="f12 i3">
        Steps {plot.x[0]}–{plot.x[1]}. Drag to zoom, ← → to move, ↵ opens the step.
      </p>
    </div>
  );
}
