"use client";
import { memo } from "react";
import { DistributionPanel } from "#charts/distribution-panel.tsx";
import { MetricPanel } from "#charts/metric-panel.tsx";
import { countWords } from "#metrics/count-words.ts";
import classes from "#metrics/metrics-page.module.css";
import type { Move } from "#metrics/move-panel.ts";
import { PinButton } from "#metrics/pin-button.tsx";
import { type LayoutGroup, PINNED } from "#metrics/prepare-layout.ts";
import { usePanelDrag } from "#metrics/use-panel-drag.ts";
import { Icon } from "#ui/icon.tsx";

/** Panels that are loaded before the browser has said which are on the screen: what a wide window shows. */
const FIRST_PANELS = 12;

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
  let before = 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to what bubbles up from the panels' own controls
    <div className={classes.sections} {...drag}>
      {groups.map((group) => {
        const isOpen = !closed.includes(group.id);
        const first = Math.max(0, FIRST_PANELS - before);
        if (isOpen) before += group.panels.length;
        return (
          <Section
            key={group.id}
            group={group}
            isOpen={isOpen}
            first={Math.min(first, group.panels.length)}
            onClose={onClose}
          />
        );
      })}
    </div>
  );
}

const Section = memo(function Section({
  group,
  isOpen,
  first,
  onClose,
}: {
  group: LayoutGroup;
  isOpen: boolean;
  /** How many of its panels are among the first of the page. */
  first: number;
  onClose: (id: string, isClosed: boolean) => void;
}) {
  const { id, panels } = group;
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
          <span>{countWords(group)}</span>
        </button>
      </h2>
      {isOpen && (
        <div className={classes.grid}>
          {panels.map((one, place) =>
            one.kind === "metric" ? (
              <MetricPanel
                key={one.panel.title}
                panel={one.panel}
                isFirst={place < first}
                Actions={PinButton}
              />
            ) : (
              <DistributionPanel key={one.panel.title} panel={one.panel} Actions={PinButton} />
            ),
          )}
        </div>
      )}
    </section>
  );
});
