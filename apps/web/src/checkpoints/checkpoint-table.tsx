import type { RunDetail } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import { Button, Tooltip } from "@mantine/core";
import { Fragment } from "react";
import styles from "#checkpoints/checkpoints.module.css";
import { contentWords } from "#checkpoints/content-words.ts";
import { ForkMenu } from "#checkpoints/fork-menu.tsx";
import { LogLink, ModelCell } from "#checkpoints/model-cell.tsx";
import type { Merges } from "#checkpoints/use-merges.ts";
import { ForkLink } from "#runs/fork-link.tsx";
import { runHref } from "#shell/links.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatBytes, formatNumber, formatPercent } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { When } from "#ui/when.tsx";

const COLUMNS = 12;

export function CheckpointTable({
  rows,
  run,
  bestStep,
  merges,
  onResume,
}: {
  rows: readonly CheckpointRow[];
  run: RunDetail | undefined;
  bestStep: number | null;
  merges: Merges;
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
            <th scope="col">Model</th>
            <th scope="col">Used by</th>
            <th aria-label="Actions" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Fragment key={row.step}>
              <tr className={row.onDisk ? undefined : "muted"}>
                <td title={row.path}>
                  <b className="med m nowrap">global_step_{row.step}</b>
                  {row.step === bestStep && <div className="hint">best held-out</div>}
                </td>
                <td className="i2">
                  <When at={row.writtenAt} />
                </td>
                <td className="num" data-label="Reward">
                  {formatNumber(row.reward)}
                </td>
                <td className="num" data-label="Held-out">
                  {formatPercent(row.heldOutReward)}
                </td>
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
                  {contentWords(row.contents)}
                </td>
                <td className={`m i2 ${styles.digest}`}>
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
                  <ModelCell row={row} run={run} merges={merges} />
                </td>
                <td>
                  <UsedBy row={row} />
                </td>
                <td>
                  <Actions row={row} run={run} onResume={onResume} />
                </td>
              </tr>
              <Trouble row={row} run={run} refusal={merges.refusal(row.step)} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UsedBy({ row: { loadedBy, forks } }: { row: CheckpointRow }) {
  if (loadedBy.length + forks.length === 0) return <span className="i3">—</span>;
  return (
    <span className={styles.used}>
      {forks.map((fork) => (
        <ForkLink key={fork.id} fork={fork} />
      ))}
      {loadedBy.length > 0 && (
        <span className="i2 nowrap" title={loadedBy.join("\n")}>
          {loadedBy.length === 1 ? "1 resume" : `${loadedBy.length} resumes`}
        </span>
      )}
    </span>
  );
}

/** Why a merge was refused or failed, below its row. */
function Trouble({
  row,
  run,
  refusal,
}: {
  row: CheckpointRow;
  run: RunDetail | undefined;
  refusal: string | null;
}) {
  const failure = row.merge?.status === "failed" ? row.merge.detail : null;
  const words = refusal ?? failure;
  if (words === null) return null;
  return (
    <tr className={styles.trouble}>
      <td colSpan={COLUMNS}>
        <span className="note bad" role="alert">
          <span>
            Merge of step {row.step} {refusal === null ? "failed" : "did not start"}: {words}
          </span>
          {refusal === null && run && <LogLink row={row} run={run} />}
        </span>
      </td>
    </tr>
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
      {row.onDisk && <ForkMenu row={row} run={run} />}
    </span>
  );
}
