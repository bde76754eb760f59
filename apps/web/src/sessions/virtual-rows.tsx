"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import styles from "#sessions/sessions.module.css";
import { Icon } from "#ui/icon.tsx";

const HEAD = 30;

/** A table of which only the rows in view are mounted. A row is chosen by click or Enter; `chosen` is kept in view. */
export function VirtualRows<T>({
  label,
  columns,
  widths,
  narrow,
  rows,
  rowHeight,
  height,
  keyOf,
  chosen,
  onChoose,
  nameOf,
  children,
}: {
  label: string;
  /** Heads; those that begin with `#` are numbers. */
  columns: readonly string[];
  /** As in `grid-template-columns`. */
  widths: string;
  /** Where a parent of the class `wide` has no room: the columns that stay, the others' cells being `extra`. */
  narrow?: { columns: readonly string[]; widths: string };
  rows: readonly T[];
  rowHeight: number;
  /** Of the rows at most, CSS pixels. */
  height: number;
  keyOf: (row: T) => number;
  chosen: number | null;
  onChoose: (key: number) => void;
  nameOf?: (row: T) => string;
  children: (row: T) => ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
  });
  const at = chosen === null ? -1 : rows.findIndex((row) => keyOf(row) === chosen);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [at, virtual]);
  const grid = {
    "--columns": widths,
    "--columns-narrow": narrow?.widths ?? widths,
  } as CSSProperties;
  const classOf = (column: string) =>
    `${column.startsWith("#") ? "num" : ""} ${narrow?.columns.includes(column) === false ? styles.extra : ""}`;
  const top = virtual.scrollOffset ?? 0;
  const last = Math.min(rows.length, Math.floor((top + height) / rowHeight));
  return (
    <>
      <div
        ref={scroller}
        className={`${styles.table} scroll`}
        style={{ ...grid, maxHeight: height + HEAD }}
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the rows are buttons, which take the focus */}
        <div className={`${styles.line} ${styles.head}`} role="row">
          {columns.map((column) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the rows are buttons, which take the focus
            <span key={column} role="columnheader" className={classOf(column)}>
              {column.replace("#", "")}
            </span>
          ))}
        </div>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="rowgroup">
          {virtual.getVirtualItems().map((place) => {
            const row = rows[place.index];
            if (row === undefined) return null;
            return (
              <button
                key={keyOf(row)}
                type="button"
                role="row"
                aria-rowindex={place.index + 2}
                aria-selected={place.index === at}
                aria-label={nameOf?.(row)}
                className={styles.line}
                style={{
                  height: rowHeight,
                  transform: `translateY(${place.start - HEAD}px)`,
                }}
                onClick={() => onChoose(keyOf(row))}
              >
                {children(row)}
              </button>
            );
          })}
        </div>
      </div>
      {rows.length * rowHeight > height && (
        <p className={styles.more}>
          <Icon name={last < rows.length ? "down" : "check"} size={11} />
          {Math.floor(top / rowHeight) + 1}–{last} of {rows.length}
          {last < rows.length && ", scroll for more"}
        </p>
      )}
    </>
  );
}
