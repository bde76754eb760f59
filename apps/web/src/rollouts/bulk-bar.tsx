"use client";
import { Button, Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { TagPopover } from "#filters/tag-popover.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { startDownload } from "#trpc/page-key.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";

const FORMATS = [
  { format: "jsonl", label: "JSONL", about: "a row a line" },
  { format: "parquet", label: "Parquet", about: "the same rows, typed" },
  { format: "atif.jsonl", label: "ATIF", about: "a whole trajectory a line" },
] as const;

/** What can be done with the marked rollouts, or with all that match. */
export function BulkBar({
  runId,
  f,
  sort,
  ids,
  openIds,
  total,
  onClear,
}: {
  runId: string;
  f: string;
  sort: string;
  /** Marked ones; empty: all that match. */
  ids: readonly string[];
  /** Those of the marked ones that have not ended. */
  openIds: readonly string[];
  /** How many match, in words. */
  total: string;
  onClear: () => void;
}) {
  const isMarked = ids.length > 0;
  const what = isMarked ? `${formatCount(ids.length)} marked` : `all ${total}`;
  const pathOf = (format: string) =>
    `/api/v1/runs/${encodeURIComponent(runId)}/rollouts.${format}?${new URLSearchParams({
      ...(isMarked ? { ids: ids.join(",") } : f === "" ? {} : { f }),
      sort,
    })}`;
  return (
    <>
      {isMarked && (
        <Button size="compact-sm" variant="subtle" onClick={onClear}>
          Clear {formatCount(ids.length)}
        </Button>
      )}
      {openIds.length > 0 && <CancelButton ids={openIds} />}
      <TagButton runId={runId} f={f} ids={ids} what={what} />
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <Button size="compact-sm" leftSection={<Icon name="down" size={13} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{what}</Menu.Label>
          {FORMATS.map(({ format, label, about }) => (
            <Menu.Item key={format} onClick={() => void startDownload(pathOf(format))}>
              {label} <span className="i3 f12">{about}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function CancelButton({ ids }: { ids: readonly string[] }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const act = useMutation(
    trpc.rollout.cancel.mutationOptions({
      onSettled: () => void queries.invalidateQueries(trpc.rollout.list.pathFilter()),
    }),
  );
  return (
    <Button
      size="compact-sm"
      color="red"
      variant="light"
      loading={act.isPending}
      title={act.error?.message ?? "They end as cancelled, without a reward"}
      onClick={() => {
        for (const rolloutId of ids) act.mutate({ rolloutId });
      }}
    >
      Cancel {formatCount(ids.length)}
    </Button>
  );
}

function TagButton({
  runId,
  f,
  ids,
  what,
}: {
  runId: string;
  f: string;
  ids: readonly string[];
  what: string;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const act = useMutation(
    trpc.rollout.tag.mutationOptions({
      onSuccess: () => void queries.invalidateQueries(trpc.rollout.list.pathFilter()),
    }),
  );
  return (
    <TagPopover
      what={what}
      isPending={act.isPending}
      error={act.error}
      onSend={(kind, tag) =>
        act.mutateAsync({ runId, ...(ids.length > 0 ? { ids: [...ids] } : { f }), [kind]: [tag] })
      }
    />
  );
}
