"use client";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { memo, useMemo, useState } from "react";
import { MetricPanel } from "#charts/metric-panel.tsx";
import type { PanelSpec } from "#charts/panel-spec.ts";
import { formatOfKey } from "#charts/value-format.ts";
import { describeMetric } from "#metrics/describe-metric.ts";
import classes from "#metrics/metrics-page.module.css";
import type { MetricSection } from "#metrics/prepare-sections.ts";
import { Icon } from "#ui/icon.tsx";

export function MetricSectionList({
  sections,
  color,
}: {
  sections: readonly MetricSection[];
  color: string;
}) {
  return (
    <div className={classes.sections}>
      {sections.map((section) => (
        <Section key={section.prefix} section={section} color={color} />
      ))}
    </div>
  );
}

function Section({ section, color }: { section: MetricSection; color: string }) {
  const [isOpen, setIsOpen] = useState(true);
  const { keys, total, prefix } = section;
  return (
    <section aria-label={prefix}>
      <h2>
        <button
          type="button"
          id={`section-${prefix}`}
          className={classes.head}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? "chevd" : "chev"} size={13} />
          {prefix}
          <span>{keys.length === total ? total : `${keys.length} of ${total}`}</span>
        </button>
      </h2>
      {isOpen && (
        <div className={classes.grid}>
          {keys.map((key) => (
            <KeyPanel key={key} metric={key} color={color} />
          ))}
        </div>
      )}
    </section>
  );
}

const COMPUTED = new Set<string>(Object.values(COMPUTED_KEYS));

const KeyPanel = memo(function KeyPanel({ metric, color }: { metric: string; color: string }) {
  const panel = useMemo<PanelSpec>(() => {
    const isHeldOut = metric.startsWith("val-");
    return {
      title: metric,
      why:
        describeMetric(metric) ??
        (COMPUTED.has(metric) ? "Computed by LiveRL from the rollouts it ran" : "As logged"),
      series: [
        { key: metric, label: metric.split("/").at(-1) ?? metric, color, isHollow: isHeldOut },
      ],
      format: formatOfKey(metric),
      headKey: metric,
    };
  }, [metric, color]);
  return <MetricPanel panel={panel} />;
});
