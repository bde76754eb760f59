"use client";
import { memo } from "react";
import { DistributionPanel } from "#charts/distribution-panel.tsx";
import { MetricPanel } from "#charts/metric-panel.tsx";
import classes from "#metrics/metrics-page.module.css";
import type { Move } from "#metrics/move-panel.ts";
import { PinButton } from "#metrics/pin-button.tsx";
import { type LayoutGroup, PINNED } from "#metrics/prepare-layout.ts";
import { usePanelDrag } from "#metrics/use-panel-drag.ts";
import { Icon } from "#ui/icon.tsx";

export function MetricSectionList({
  groups,
  closed,
  onClose,
  onMove,
  onStep,
}: {
  groups: readonly LayoutGroup[];
  closed: readonly string[];
  onClose: (id: string, isClosed: boolean) => void;
  onMove: (move: Move) => void;
  onStep: (title: string, by: 1 | -1) => void;
}) {
  const drag = usePanelDrag(onMove, onStep);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what bubbles up from the panels' own controls
    <div className={classes.sections} {...drag}>
      {groups.map((group) => (
        <Section
          key={group.id}
          group={group}
          isOpen={!closed.includes(group.id)}
          onClose={onClose}
        />
      ))}
    </div>
  );
}

const Section = memo(function Section({
  group,
  isOpen,
  onClose,
}: {
  group: LayoutGroup;
  isOpen: boolean;
  onClose: (id: string, isClosed: boolean) => void;
}) {
  const { id, panels, found, total, pinned } = group;
  return (
    <section aria-label={id} data-group={id}>
      <h2>
        <button
          type="button"
          id={`section-${id}`}
          className={classes.head}
          aria-expanded={isOpen}
          onClick={() => onClose(id, isOpen)}
        >
          <Icon name={isOpen ? "chevd" : "chev"} size={13} />
          {id === PINNED && <Icon name="pin" size={12} />}
          {id}
          <span>
            {found === total ? total : `${found} of ${total}`}
            {pinned > 0 && `, ${pinned} pinned`}
          </span>
        </button>
      </h2>
      {isOpen && (
        <div className={classes.grid}>
          {panels.map((one) =>
            one.kind === "metric" ? (
              <MetricPanel key={one.panel.title} panel={one.panel} Actions={PinButton} />
            ) : (
              <DistributionPanel key={one.panel.title} panel={one.panel} Actions={PinButton} />
            ),
          )}
        </div>
      )}
    </section>
  );
});
