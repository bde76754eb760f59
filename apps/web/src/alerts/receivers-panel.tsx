"use client";
import type { ReceiverView } from "@liverl/contract/alert";
import { ActionIcon, Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import { ReceiverDialog } from "#alerts/receiver-dialog.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

/** Who is told. */
export function ReceiversPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.alert.receivers.queryOptions({ project }));
  const [isOpen, setOpen] = useState(false);
  const receivers = query.data?.receivers;
  return (
    <Panel
      title="Receivers"
      note={receivers?.length}
      right={
        <Button leftSection={<Icon name="plus" size={13} />} onClick={() => setOpen(true)}>
          Add a receiver
        </Button>
      }
    >
      {receivers === undefined ? (
        query.isError ? (
          <ErrorState
            what="The receivers could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <SkeletonRows rows={2} />
        )
      ) : receivers.length === 0 ? (
        <EmptyState title="No notification channels">
          Alerts are shown in LiveRL only. Add a Slack webhook, or any URL that takes JSON, to
          receive every alert of this project.
        </EmptyState>
      ) : (
        <ul className={styles.rows} aria-label="Receivers">
          {receivers.map((receiver) => (
            <Receiver key={receiver.id} project={project} receiver={receiver} />
          ))}
        </ul>
      )}
      <ReceiverDialog project={project} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Panel>
  );
}

function Receiver({ project, receiver }: { project: string; receiver: ReceiverView }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries(trpc.alert.receivers.queryFilter());
  const test = useMutation(trpc.alert.testReceiver.mutationOptions({ onSuccess }));
  const remove = useMutation(trpc.alert.removeReceiver.mutationOptions({ onSuccess }));
  const { id, name, format, host, fault, last } = receiver;
  const error = test.error ?? remove.error;
  return (
    <li className={styles.row}>
      <StatusDot kind={last === null ? "none" : last.status === "failed" ? "bad" : "ok"} />
      <span className={styles.two}>
        <span>
          <b>{name}</b> <span className="i3">{format === "slack" ? "Slack" : "JSON"}</span>
        </span>
        <span className="m i2 trunc" title={host}>
          {host}
        </span>
        {fault !== null && <span className="warn-t">{fault}</span>}
        {error && <span className="bad-t">{describeError(error).message}</span>}
        <span className="i3" role="status">
          {last === null ? (
            "Nothing was sent yet"
          ) : (
            <>
              {last.event === "test" ? "Test" : last.event === "fired" ? "Alert" : "All-clear"}{" "}
              {last.status} <Ago at={last.at} />
              {last.error !== null && <span className="bad-t"> {last.error}</span>}
            </>
          )}
        </span>
      </span>
      <span className={styles.acts}>
        <Button
          loading={test.isPending}
          aria-label={`Send a test to ${name}`}
          onClick={() => test.mutate({ project, id })}
        >
          Test
        </Button>
        <ActionIcon
          aria-label={`Remove ${name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate({ project, id })}
        >
          <Icon name="x" size={14} />
        </ActionIcon>
      </span>
    </li>
  );
}
