"use client";
import type { ReactNode } from "react";
import { countPanels } from "#metrics/count-words.ts";
import classes from "#metrics/metrics-page.module.css";
import type { LayoutGroup } from "#metrics/prepare-layout.ts";
import { SearchBox } from "#ui/search-box.tsx";

/** Search, views and the sections to jump to. */
export function MetricsSide({
  search,
  onSearch,
  metrics,
  groups,
  onJump,
  children,
}: {
  search: string;
  onSearch: (text: string) => void;
  /** How many there are; null while that is not known. */
  metrics: number | null;
  groups: readonly LayoutGroup[];
  onJump: (id: string) => void;
  children: ReactNode;
}) {
  const found = groups.reduce((sum, { panels }) => sum + panels.length, 0);
  return (
    <aside className={`${classes.side} scroll`} aria-label="Views and sections">
      <SearchBox
        label={metrics === null ? "Find a metric" : `Find among ${metrics} metrics`}
        value={search}
        onChange={onSearch}
      />
      {children}
      <nav className={classes.index} aria-label="Sections">
        <h2>
          Sections<span className="end">{search === "" ? "" : `${countPanels(found)} found`}</span>
        </h2>
        {groups.map(({ id, panels }) => (
          <a
            key={id}
            href={`#section-${id}`}
            onClick={(event) => {
              event.preventDefault();
              onJump(id);
            }}
          >
            <span className="m i2 trunc">{id}</span>
            <span className={classes.count}>{panels.length}</span>
          </a>
        ))}
      </nav>
    </aside>
  );
}
