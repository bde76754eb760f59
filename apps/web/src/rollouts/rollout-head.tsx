"use client";
import type { Filter } from "@liverl/contract/filter/filter-tree";
import { Checkbox } from "@mantine/core";
import { ColumnFilter } from "#filters/column-filter.tsx";
import { fieldNamed, nextSort, type RolloutColumn } from "#rollouts/rollout-columns.ts";
import styles from "#rollouts/rollouts.module.css";

/** The names of the columns, each with its order and its filter. */
export function RolloutHead({
  columns,
  sort,
  filter,
  marked,
  onSort,
  onFilter,
  onMarkAll,
}: {
  columns: readonly RolloutColumn[];
  sort: string;
  filter: Filter | null;
  /** Whether all rows that are here are marked, some, or none. */
  marked: "all" | "some" | "none";
  onSort: (sort: string | null) => void;
  onFilter: (text: string) => void;
  onMarkAll: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: what is in it takes the focus
    <div className={`${styles.row} ${styles.head}`} role="row">
      {/* biome-ignore lint/a11y/useFocusableInteractive: the box takes the focus */}
      <span role="columnheader" aria-label="Marked">
        <Checkbox
          size="xs"
          aria-label="Mark all that are loaded"
          checked={marked === "all"}
          indeterminate={marked === "some"}
          onChange={onMarkAll}
        />
      </span>
      {columns.map(({ label, field: name, isNumber, canSort }) => {
        const field = name === null ? undefined : fieldNamed(name);
        const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
        return (
          // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus
          <span
            key={label}
            role="columnheader"
            aria-sort={order}
            className={isNumber ? `num ${styles.cell}` : styles.cell}
          >
            {field && canSort ? (
              <button
                type="button"
                className="th-button"
                onClick={() => onSort(nextSort(sort, field.name))}
              >
                {label}
                {order && (order === "descending" ? " ↓" : " ↑")}
              </button>
            ) : (
              label
            )}
            {field && (
              <ColumnFilter field={field} label={label} filter={filter} onApply={onFilter} />
            )}
          </span>
        );
      })}
    </div>
  );
}
