"use client";
import { useMemo, useState } from "react";
import { MetricPanel } from "#charts/metric-panel.tsx";
import classes from "#metrics/metrics-page.module.css";
import { prepareKeyPanels } from "#metrics/prepare-key-panels.ts";
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
  const panels = useMemo(() => prepareKeyPanels(keys, color), [keys, color]);
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
          {panels.map((panel) => (
            <MetricPanel key={panel.title} panel={panel} />
          ))}
        </div>
      )}
    </section>
  );
}
