import type { RunDetail } from "@liverl/contract/run";
import { flattenSpec } from "@liverl/contract/spec/flatten-spec";
import { useMemo } from "react";
import { parse } from "yaml";
import styles from "#compare/compare.module.css";
import { type ComparedRun, differences } from "#compare/prepare-compare.ts";
import { Panel } from "#ui/panel.tsx";

/** Keys of the configurations that differ, a column for each run. */
export function ConfigDifferences({
  runs,
  compared,
}: {
  runs: readonly RunDetail[];
  compared: readonly ComparedRun[];
}) {
  const rows = useMemo(
    () =>
      differences(
        runs.map(({ specYaml, configYaml }) => {
          const text = specYaml ?? configYaml;
          return flattenSpec(text === null ? {} : parse(text));
        }),
      ),
    [runs],
  );
  const unknown = runs.filter(
    ({ specYaml, configYaml }) => specYaml === null && configYaml === null,
  );
  return (
    <Panel
      title="Configuration"
      note={
        rows.length === 0
          ? "no difference"
          : rows.length === 1
            ? "1 key differs"
            : `${rows.length} keys differ`
      }
    >
      {unknown.length > 0 && (
        <p className="note i3">
          {unknown.map(({ name }) => name).join(", ")}: nothing is known of the configuration.
        </p>
      )}
      {rows.length > 0 && (
        <div className={`${styles.scroll} scroll`}>
          <table className="t" aria-label="Configuration differences">
            <thead>
              <tr>
                <th scope="col">Key</th>
                {compared.map(({ id, name, color }) => (
                  <th key={id} scope="col">
                    <span className="sw" style={{ background: `var(${color})` }} /> {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ path, values }) => (
                <tr key={path}>
                  <td className="m">{path}</td>
                  {compared.map(({ id }, at) => (
                    <td key={id} className={`m ${styles.value}`} title={values[at] ?? undefined}>
                      {values[at] ?? <span className="i3">—</span>}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
