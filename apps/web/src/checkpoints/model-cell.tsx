import type { RunDetail } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import { Button, Tooltip } from "@mantine/core";
import styles from "#checkpoints/checkpoints.module.css";
import type { Merges } from "#checkpoints/use-merges.ts";
import { runHref } from "#shell/links.ts";
import { startDownload } from "#trpc/page-key.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { formatBytes, formatPercent } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const SMALL = { size: "xs", h: 24, px: 8, fz: 12 } as const;

/** The model of a checkpoint as one download: there, being merged, or to be merged by a click. */
export function ModelCell({
  row,
  run,
  merges,
}: {
  row: CheckpointRow;
  run: RunDetail | undefined;
  merges: Merges;
}) {
  const { merge } = row;
  const isPending = merges.pendingStep === row.step;
  if (row.can.download === true && run)
    return <Download row={row} run={run} path={row.hf?.path ?? row.path} />;
  if (merge?.status === "queued" || merge?.status === "running" || merge?.status === "cancelling")
    return (
      <span className={styles.model}>
        <span className={styles.merging} role="status" title={merge.detail ?? undefined}>
          <StatusWord kind="boot">
            {merge.status === "queued"
              ? "waits for another merge"
              : merge.status === "cancelling"
                ? "ends"
                : "merging"}
            {merge.share !== null && ` ${formatPercent(merge.share)}`}
          </StatusWord>
          {merge.share !== null && <Meter share={merge.share} width={64} />}
          {merge.detail && <span className="hint trunc">{merge.detail}</span>}
        </span>
        {merge.status !== "queued" && run && <LogLink row={row} run={run} />}
        <Button
          {...SMALL}
          disabled={merge.status === "cancelling"}
          loading={isPending}
          aria-label={`Cancel the merge of step ${row.step}`}
          onClick={() => merges.cancel(row.step)}
        >
          Cancel
        </Button>
      </span>
    );
  if (row.can.merge === true)
    return (
      <Tooltip label="Puts the shards together into one model in Hugging Face form">
        <Button
          {...SMALL}
          loading={isPending}
          aria-label={`Merge step ${row.step} into Hugging Face form`}
          onClick={() => merges.merge(row.step)}
        >
          {merge?.status === "failed" ? "Merge again" : "Merge"}
        </Button>
      </Tooltip>
    );
  return (
    <span className="i3" title={row.can.merge}>
      —
    </span>
  );
}

function Download({ row, run, path }: { row: CheckpointRow; run: RunDetail; path: string }) {
  const bytes = row.hf?.sizeBytes ?? row.sizeBytes;
  return (
    <span className={styles.model}>
      <Tooltip label={`${path}, with sha256 of each file`}>
        <Button
          {...SMALL}
          onClick={() =>
            void startDownload(
              `/api/v1/runs/${encodeURIComponent(run.id)}/checkpoints/${row.step}.tar`,
            )
          }
          leftSection={<Icon name="down" size={12} />}
          aria-label={`Download step ${row.step} as a tar of ${formatBytes(bytes)}`}
        >
          {formatBytes(bytes)}
        </Button>
      </Tooltip>
      <CopyButton text={path} what="its path" />
    </span>
  );
}

/** The merger's words. */
export function LogLink({ row, run }: { row: CheckpointRow; run: RunDetail }) {
  if (row.merge === null) return null;
  return (
    <Link href={runHref(run.project, run.id, `logs?src=${row.merge.log}`)} className="lnk f12">
      Log
    </Link>
  );
}
