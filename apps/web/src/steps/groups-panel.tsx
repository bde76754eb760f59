"use client";
import type { GroupRow } from "@liverl/contract/views";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo } from "react";
import { type Cell, countGroups, prepareGroups } from "#steps/prepare-groups.ts";
import styles from "#steps/steps.module.css";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";

const ORDERS = [
  { value: "informative", label: "Informative first" },
  { value: "mean", label: "Mean" },
  { value: "task", label: "Task" },
] as const;

/** The groups of a step, a square a rollout. */
export function GroupsPanel({
  groups,
  hrefOf,
  rolloutHref,
}: {
  groups: readonly GroupRow[];
  hrefOf: (groupId: string) => string;
  rolloutHref: (rolloutId: string) => string;
}) {
  const [order, setOrder] = useQueryState(
    "sort",
    parseAsStringLiteral(["informative", "mean", "task"]).withDefault("informative"),
  );
  const tiles = useMemo(() => prepareGroups(groups, order), [groups, order]);
  const { flat } = countGroups(tiles);
  const siblings = Math.max(0, ...tiles.map((tile) => tile.cells.length));
  return (
    <Panel
      title="Groups"
      note={
        <>
          {tiles.length} tasks × {siblings} rollouts
          <span className="hide-md">
            {flat > 0 ? ` · ${flat} without a gradient, in grey` : ""}
          </span>
        </>
      }
      right={
        <>
          <span className={`${styles.legend} hide-md`}>
            <LegendCell cell="solved" />
            <LegendCell cell="part" />
            <LegendCell cell="failed" />
            <LegendCell cell="no reward" />
          </span>
          <Seg
            label="Order of groups"
            value={order}
            options={ORDERS}
            onChange={(next) => void setOrder(next)}
          />
        </>
      }
    >
      <div className={styles.groups}>
        {tiles.map((tile) => (
          <div key={tile.groupId} className={styles.group} data-flat={tile.flat || undefined}>
            <Link href={hrefOf(tile.groupId)} className="m trunc" title={tile.taskName}>
              {tile.taskName}
            </Link>
            <span className={styles.cells}>
              {tile.cells.map(({ rolloutId, cell }, at) => (
                <Link
                  key={rolloutId}
                  href={rolloutHref(rolloutId)}
                  prefetch={false}
                  className={styles.cell}
                  data-cell={cell}
                  aria-label={`Rollout ${at + 1}: ${cell}`}
                  title={`Rollout ${at + 1}: ${cell}`}
                />
              ))}
            </span>
            <Link href={hrefOf(tile.groupId)} className="r" tabIndex={-1}>
              {tile.mean === null ? "—" : tile.mean.toFixed(2)}
            </Link>
          </div>
        ))}
      </div>
    </Panel>
  );
}

function LegendCell({ cell }: { cell: Exclude<Cell, "pending"> }) {
  return (
    <span>
      <i className={styles.cell} data-cell={cell} />
      {cell}
    </span>
  );
}
