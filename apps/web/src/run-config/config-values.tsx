"use client";
import type { RunConfig } from "@liverl/contract/run-config";
import type { ValueSource } from "@liverl/contract/spec/value-source";
import { type ConfigRow, prepareConfig } from "#run-config/prepare-config.ts";
import styles from "#run-config/run-config.module.css";
import { EmptyState } from "#ui/empty-state.tsx";

const WHY: Record<ValueSource, string> = {
  preset: "As the preset has it",
  parent: "As the run that it was cloned or forked from has it",
  default: "As the trainer takes it when nobody says otherwise",
  override: "Said at the launch",
};

/** Values with where they come from and, where another one is chosen, what that has in their place. */
export function ConfigValues({
  config,
  search,
  onlyChanged,
}: {
  config: RunConfig;
  search: string;
  onlyChanged: boolean;
}) {
  const { rows } = prepareConfig(config, { search, onlyChanged });
  if (rows.length === 0)
    return (
      <EmptyState title={search === "" ? "No value differs" : "No value matches"}>
        {onlyChanged && search !== "" ? "Values that did not change are not shown." : null}
      </EmptyState>
    );
  const hasSources = rows.some(({ source }) => source !== null);
  return (
    <div className={`${styles.scroll} scroll`}>
      <table className="t" aria-label="Configuration values">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Value</th>
            {config.vs !== null && <th scope="col">{config.vs.label}</th>}
            {hasSources && <th scope="col">From</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.path} className={row.differs ? styles.differs : undefined}>
              <td className="m">{row.path}</td>
              <td className={`m ${styles.value}`} title={row.text}>
                {row.text}
              </td>
              {config.vs !== null && (
                <td
                  className={`m ${styles.value} ${row.differs ? "" : "i3"}`}
                  title={row.otherText}
                >
                  {row.differs ? row.otherText : "same"}
                </td>
              )}
              {hasSources && (
                <td>
                  <Source row={row} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Source({ row: { source, wasText } }: { row: ConfigRow }) {
  if (source === null) return <span className="i3">—</span>;
  return (
    <span className="row g4">
      <span className={source === "override" ? "chip on" : "chip"} title={WHY[source]}>
        {source}
      </span>
      {wasText !== null && (
        <span className={`m i3 f12 trunc ${styles.was}`} title={`was ${wasText}`}>
          was {wasText}
        </span>
      )}
    </span>
  );
}
