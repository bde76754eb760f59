"use client";
import { Button, Menu, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import filterStyles from "#filters/filters.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
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
  total,
  onClear,
}: {
  runId: string;
  f: string;
  sort: string;
  /** Marked ones; empty: all that match. */
  ids: readonly string[];
  /** How many match, in words. */
  total: string;
  onClear: () => void;
}) {
  const isMarked = ids.length > 0;
  const what = isMarked ? `${formatCount(ids.length)} marked` : `all ${total}`;
  const hrefOf = (format: string) =>
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
            <Menu.Item key={format} component="a" href={hrefOf(format)} download>
              {label} <span className="i3 f12">{about}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
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
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const [tag, setTag] = useState("");
  const act = useMutation(
    trpc.rollout.tag.mutationOptions({
      onSuccess: () => {
        close();
        void queries.invalidateQueries(trpc.rollout.list.pathFilter());
      },
    }),
  );
  const send = (kind: "add" | "remove") =>
    act.mutate({ runId, ...(ids.length > 0 ? { ids: [...ids] } : { f }), [kind]: [tag.trim()] });
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="compact-sm"
          leftSection={<Icon name="flag" size={13} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={filterStyles.column}
          onSubmit={(event) => {
            event.preventDefault();
            send("add");
          }}
        >
          <span className="f12 i3">Tag {what}</span>
          <input
            type="text"
            aria-label="Tag"
            placeholder="suspect"
            maxLength={40}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
          <div className={filterStyles.pair}>
            <Button
              type="submit"
              size="compact-xs"
              variant="filled"
              disabled={tag.trim() === "" || act.isPending}
            >
              Add
            </Button>
            <Button
              size="compact-xs"
              disabled={tag.trim() === "" || act.isPending}
              onClick={() => send("remove")}
            >
              Remove
            </Button>
          </div>
          {act.error && <span className="f12 bad-t">{describeError(act.error).message}</span>}
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
