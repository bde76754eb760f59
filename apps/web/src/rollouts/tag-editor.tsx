"use client";
import type { RolloutRow } from "@liverl/contract/views";
import { Button, Popover, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#filters/filters.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Chip } from "#ui/chip.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

/** Tags and note of a rollout of a run, written here; `t` opens them. */
export function TagEditor({ rollout, runId }: { rollout: RolloutRow; runId: string }) {
  const [isOpen, { close, toggle, open }] = useDisclosure(false);
  usePageKeys([["T", open]]);
  return (
    <>
      {rollout.tags.map((tag) => (
        <Chip key={tag}>{tag}</Chip>
      ))}
      <Popover opened={isOpen} onDismiss={close} position="bottom-end" trapFocus shadow="md">
        <Popover.Target>
          <Button
            size="xs"
            h={24}
            px={8}
            fz={12}
            leftSection={<Icon name={rollout.note === null ? "flag" : "edit"} size={13} />}
            rightSection={<Kbd>t</Kbd>}
            title={rollout.note ?? undefined}
            aria-expanded={isOpen}
            onClick={toggle}
          >
            Tag
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          {isOpen && <Form rollout={rollout} runId={runId} onDone={close} />}
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

function Form({
  rollout,
  runId,
  onDone,
}: {
  rollout: RolloutRow;
  runId: string;
  onDone: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [tags, setTags] = useState(rollout.tags.join(" "));
  // As it was when the editor opened: the row is read again meanwhile.
  const [seen] = useState(rollout.note ?? "");
  const [text, setText] = useState(seen);
  const tag = useMutation(trpc.rollout.tag.mutationOptions());
  const note = useMutation(trpc.rollout.note.mutationOptions());
  const error = tag.error ?? note.error;
  const save = async () => {
    const { rolloutId } = rollout;
    const wanted = tags.split(/[\s,]+/).filter((word) => word !== "");
    const add = wanted.filter((one) => !rollout.tags.includes(one));
    const remove = rollout.tags.filter((one) => !wanted.includes(one));
    if (add.length + remove.length > 0)
      await tag.mutateAsync({ runId, ids: [rolloutId], add, remove });
    if (text.trim() !== seen) await note.mutateAsync({ rolloutId, note: text, seen });
    await Promise.all([
      queries.invalidateQueries(trpc.trajectory.get.queryFilter({ rolloutId })),
      queries.invalidateQueries(trpc.rollout.list.pathFilter()),
    ]);
    onDone();
  };
  return (
    <form
      className={styles.column}
      style={{ width: 300 }}
      onSubmit={(event) => {
        event.preventDefault();
        // What goes wrong is shown below; the form stays open.
        save().catch(() => undefined);
      }}
    >
      <input
        type="text"
        aria-label="Tags"
        placeholder="suspect look-again"
        value={tags}
        onChange={(event) => setTags(event.currentTarget.value)}
      />
      <Textarea
        aria-label="Note"
        placeholder="What is there to know about it"
        autosize
        minRows={3}
        maxRows={10}
        maxLength={4_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="compact-xs" variant="filled" loading={tag.isPending}>
        Save
      </Button>
      {error && <span className="f12 bad-t">{describeError(error).message}</span>}
    </form>
  );
}
