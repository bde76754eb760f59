"use client";
import { AddSilence, type AlertView } from "@liverl/contract/alert";
import { Button, Modal, Select, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Seg } from "#ui/seg.tsx";
import { useLastShown } from "#ui/use-last-shown.ts";

const TIMES = [
  { value: "60", label: "1 hour" },
  { value: "240", label: "4 hours" },
  { value: "1440", label: "1 day" },
  { value: "10080", label: "1 week" },
];
type Cover = "both" | "rule" | "run" | "all";

/** Keeps an alert, its rule or its run quiet for a while, with the reason; or the whole project. */
export function SilenceDialog({
  project,
  of,
  onClose,
}: {
  project: string;
  /** Null: closed. */
  of: AlertView | "project" | null;
  onClose: () => void;
}) {
  const shown = useLastShown(of);
  return (
    <Modal
      opened={of !== null}
      onClose={onClose}
      title="Silence"
      size={480}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <SilenceForm project={project} alert={shown === "project" ? null : shown} onClose={onClose} />
    </Modal>
  );
}

function SilenceForm({
  project,
  alert,
  onClose,
}: {
  project: string;
  /** Null: the whole project. */
  alert: AlertView | null;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [cover, setCover] = useState<Cover>(alert === null ? "all" : "both");
  const [minutes, setMinutes] = useState("60");
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const silence = useMutation(
    trpc.alert.silence.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries();
        onClose();
      },
    }),
  );
  const read = AddSilence.safeParse({
    project,
    ruleId: cover === "both" || cover === "rule" ? alert?.ruleId : null,
    runId: cover === "both" || cover === "run" ? alert?.run.id : null,
    minutes: Number(minutes),
    reason,
  });
  const fault = read.success ? undefined : read.error.issues[0]?.message;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (read.success) silence.mutate(read.data);
      }}
    >
      <p className="i2">
        Alerts still fire and are kept; nobody is told of them. What still holds when the silence
        ends is told then.
      </p>
      {alert !== null && (
        <Seg
          label="What is silenced"
          value={cover}
          options={[
            {
              value: "both",
              label: "This alert",
              title: `${alert.ruleName} of ${alert.run.name}`,
            },
            { value: "rule", label: "Its rule", title: alert.ruleName },
            { value: "run", label: "Its run", title: alert.run.name },
            { value: "all", label: "The project", title: project },
          ]}
          onChange={setCover}
        />
      )}
      <Select
        label="For"
        data={TIMES}
        value={minutes}
        allowDeselect={false}
        onChange={(value) => setMinutes(value ?? "60")}
      />
      <TextInput
        label="Why"
        placeholder="The cluster is upgraded"
        data-autofocus
        value={reason}
        error={isAsked ? fault : undefined}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {silence.isError && (
        <p className="note bad" role="alert">
          {describeError(silence.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={silence.isPending}>
          Silence
        </Button>
      </div>
    </form>
  );
}
