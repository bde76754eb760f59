import type { RunDetail } from "@liverl/contract/run";
import { ActionIcon } from "@mantine/core";
import styles from "#compare/compare.module.css";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { RunStatusWord } from "#runs/run-status.tsx";
import { runHref } from "#shell/links.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatNumber, formatPercent } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";

/** Where each run stands, a line each. */
export function RunsCompared({
  runs,
  compared,
  onRemove,
}: {
  runs: readonly RunDetail[];
  compared: readonly ComparedRun[];
  onRemove: (id: string) => void;
}) {
  return (
    <Panel title="Runs">
      <div className={`${styles.scroll} scroll`}>
        <table className="t" aria-label="Runs">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Status</th>
              <th scope="col" className="num">
                Step
              </th>
              <th scope="col" className="num">
                Reward
              </th>
              <th scope="col" className="num">
                Held-out
              </th>
              <th scope="col" className="num">
                Step time
              </th>
              <th scope="col" className="num">
                MFU
              </th>
              <th scope="col" aria-label="Leave out" />
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <tr key={run.id}>
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
                <td className="num">{formatNumber(run.reward.last)}</td>
                <td className="num">{formatNumber(run.heldOutReward)}</td>
                <td className="num">
                  {run.stepTimeS === null ? "—" : formatDuration(run.stepTimeS)}
                </td>
                <td className="num">{run.mfu === null ? "—" : formatPercent(run.mfu)}</td>
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
