"use client";
import { AddReceiver } from "@liverl/contract/alert";
import { Button, Modal, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Seg } from "#ui/seg.tsx";

type Wish = { name: string; url: string };

/** Adds a webhook that alerts go to. */
export function ReceiverDialog({
  project,
  isOpen,
  onClose,
}: {
  project: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Add a receiver"
      size={520}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <ReceiverForm project={project} onClose={onClose} />
    </Modal>
  );
}

function ReceiverForm({ project, onClose }: { project: string; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [format, setFormat] = useState<AddReceiver["format"]>("slack");
  const form = useForm<Wish>({
    initialValues: { name: "", url: "" },
    validate: (wish) => {
      const read = AddReceiver.safeParse({ project, format, ...wish });
      if (read.success) return {};
      return Object.fromEntries(
        read.error.issues.map(({ path, message }) => [String(path[0]), message]),
      );
    },
  });
  const add = useMutation(
    trpc.alert.addReceiver.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries(trpc.alert.receivers.queryFilter());
        onClose();
      },
    }),
  );
  return (
    <form
      className={styles.form}
      onSubmit={form.onSubmit((wish) => add.mutate({ project, format, ...wish }))}
    >
      <Seg
        label="Format"
        value={format}
        options={[
          { value: "slack", label: "Slack" },
          { value: "json", label: "JSON" },
        ]}
        onChange={setFormat}
      />
      <TextInput
        label="Name"
        placeholder="#rl-alerts"
        data-autofocus
        {...form.getInputProps("name")}
      />
      <TextInput
        label="Address"
        description="Kept as a secret: it is not shown again"
        placeholder={
          format === "slack"
            ? "https://hooks.slack.com/services/…"
            : "https://alerts.example.com/hook"
        }
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps("url")}
      />
      {add.isError && (
        <p className="note bad" role="alert">
          {describeError(add.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={add.isPending}>
          Add
        </Button>
      </div>
    </form>
  );
}
