import type { RunDetail } from "@liverl/contract/run";
import { ActionIcon } from "@mantine/core";
import { parseAsString, useQueryState } from "nuqs";
import styles from "#compare/compare.module.css";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { finalColumns, prepareFinals } from "#compare/prepare-finals.ts";
import { RunStatusWord } from "#runs/run-status.tsx";
import { runHref } from "#shell/links.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";

/** Where each run stands, a line each, against one of them. */
export function RunsCompared({
  runs,
  compared,
  onRemove,
}: {
  runs: readonly RunDetail[];
  compared: readonly ComparedRun[];
  onRemove: (id: string) => void;
}) {
  const [wanted, setWanted] = useQueryState("base", parseAsString);
  const baseline = runs.find(({ id }) => id === wanted) ?? runs[0];
  const columns = finalColumns(runs);
  if (baseline === undefined) return null;
  return (
    <Panel title="Finals" note="differences are from the baseline">
      <div className={`${styles.scroll} scroll`}>
        <table className={`t ${styles.finals}`} aria-label="Finals">
          <thead>
            <tr>
              <th scope="col">Baseline</th>
              <th scope="col">Run</th>
              <th scope="col">Status</th>
              <th scope="col" className="num">
                Step
              </th>
              {columns.map(({ label, title }) => (
                <th key={label} scope="col" className="num" title={title}>
                  {label}
                </th>
              ))}
              <th scope="col" aria-label="Leave out" />
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <tr key={run.id}>
                <td className={styles.base}>
                  <input
                    type="radio"
                    name="baseline"
                    aria-label={`${run.name} is the baseline`}
                    checked={run.id === baseline.id}
                    onChange={() => void setWanted(run.id === runs[0]?.id ? null : run.id)}
                  />
                </td>
                <td>
                  <div className="run-name">
                    <span className="sw" style={{ background: `var(${compared[at]?.color})` }} />
                    <Link href={runHref(run.project, run.id)}>{run.name}</Link>
                    {run.id !== run.name && <span className="m i3">{run.id}</span>}
                  </div>
                </td>
                <td>
                  <RunStatusWord status={run.status} reason={run.statusReason} />
                </td>
                <td className="num">{run.step}</td>
                {prepareFinals(run, baseline)
                  .filter(({ label }) => columns.some((column) => column.label === label))
                  .map(({ label, title, text, change }) => (
                    <td key={label} className="num" title={title}>
                      {text}
                      {change !== null && <small className="i3">{change}</small>}
                    </td>
                  ))}
                <td className="num">
                  <ActionIcon
                    size={22}
                    variant="subtle"
                    aria-label={`Leave ${run.name} out`}
                    onClick={() => onRemove(run.id)}
                  >
                    <Icon name="x" size={12} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
