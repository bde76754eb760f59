import type { RunDetail } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import { Button, Tooltip } from "@mantine/core";
import styles from "#checkpoints/checkpoints.module.css";
import { runHref } from "#shell/links.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatBytes, formatNumber, formatPercent } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { When } from "#ui/when.tsx";

export function CheckpointTable({
  rows,
  run,
  bestStep,
  onResume,
}: {
  rows: readonly CheckpointRow[];
  run: RunDetail | undefined;
  bestStep: number | null;
  onResume: (step: number) => void;
}) {
  return (
    <div className={`${styles.scroll} scroll`}>
      <table className={`t ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col" className="sort">
              Step ↓
            </th>
            <th scope="col">Written</th>
            <th scope="col" className="num">
              Reward
            </th>
            <th scope="col" className="num">
              Held-out
            </th>
            <th scope="col">Files</th>
            <th scope="col" className="num">
              Size
            </th>
            <th scope="col" className="num hide-md">
              Took
            </th>
            <th scope="col" className="hide-md">
              Contents
            </th>
            <th scope="col">Weights sha256</th>
            <th scope="col">Loaded by</th>
            <th scope="col">Note</th>
            <th aria-label="Actions" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.step} className={row.onDisk ? undefined : "muted"}>
              <td title={row.path}>
                <b className="med m">global_step_{row.step}</b>
              </td>
              <td className="i2">
                <When at={row.writtenAt} />
              </td>
              <td className="num">{formatNumber(row.reward)}</td>
              <td className="num">{formatPercent(row.heldOutReward)}</td>
              <td>
                {!row.onDisk ? (
                  <StatusWord kind="off">removed</StatusWord>
                ) : row.complete ? (
                  <StatusWord kind="ok">complete</StatusWord>
                ) : (
                  <StatusWord kind="warn">not complete</StatusWord>
                )}
              </td>
              <td className="num">{row.onDisk ? formatBytes(row.sizeBytes) : "—"}</td>
              <td className="num hide-md">{formatDuration(row.seconds)}</td>
              <td
                className={`i2 hide-md trunc ${styles.contents}`}
                title={row.contents.join(" · ")}
              >
                {row.contents.length === 0 ? "—" : row.contents.join(" · ")}
              </td>
              <td className="m i2">
                {row.weightsSha256 === null ? (
                  "—"
                ) : (
                  <span className="row g4" title={row.weightsSha256}>
                    {row.weightsSha256.slice(0, 8)}…
                    <CopyButton text={row.weightsSha256} what="the digest" />
                  </span>
                )}
              </td>
              <td>
                {row.loadedBy.length === 0 ? (
                  <span className="i3">—</span>
                ) : (
                  row.loadedBy.join(", ")
                )}
              </td>
              <td className="i2">{row.step === bestStep ? "best held-out" : ""}</td>
              <td>
                <Actions row={row} run={run} onResume={onResume} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Actions({
  row,
  run,
  onResume,
}: {
  row: CheckpointRow;
  run: RunDetail | undefined;
  onResume: (step: number) => void;
}) {
  if (!run) return null;
  const why = !row.onDisk
    ? "Its files are gone"
    : !row.complete
      ? "Files that a resume needs are missing"
      : run.can.resume === true
        ? null
        : run.can.resume;
  return (
    <span className={styles.actions}>
      <Button
        component={Link}
        href={runHref(run.project, run.id, `steps/${row.step}`)}
        size="xs"
        h={24}
        px={8}
        fz={12}
      >
        Step
      </Button>
      <Tooltip label={why} disabled={why === null}>
        <Button
          size="xs"
          h={24}
          px={8}
          fz={12}
          disabled={why !== null}
          onClick={() => onResume(row.step)}
        >
          Resume
        </Button>
      </Tooltip>
    </span>
  );
}
