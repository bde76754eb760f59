"use client";
import type { CanonicalMetric, MetricNameView } from "@liverl/contract/trainer-names";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#settings/settings.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const LABELS: Record<CanonicalMetric, string> = {
  reward: "Training reward",
  kl: "KL",
  entropy: "Entropy",
  "grad-norm": "Gradient norm",
  loss: "Loss",
  "response-length": "Response length",
  "truncated-ratio": "Share of truncated responses",
  "step-time": "Step time, seconds",
  "mismatch-kl": "KL of trainer and engines",
  "held-out-reward": "In-run evaluation",
};

/** Under which keys the project's trainers log what is judged. */
export function MetricNamesPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.metric.names.queryOptions({ project }));
  return (
    <Panel
      title="Metric names"
      note="LiveRL knows the names of common trainers. Enter your trainer's key where it uses another one; verdict, runs list and header follow at once."
    >
      {query.isPending && <SkeletonRows rows={6} />}
      {query.isError && (
        <ErrorState
          what="Cannot load metric names"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      <ul className={styles.rows} aria-label="Metric names">
        {query.data?.names.map((row) => (
          <MetricNameRow key={`${row.metric} ${row.key}`} project={project} row={row} />
        ))}
      </ul>
    </Panel>
  );
}

function MetricNameRow({ project, row }: { project: string; row: MetricNameView }) {
  const { metric, key, known, actor } = row;
  const [typed, setTyped] = useState(key ?? "");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const options = { onSuccess: () => queries.invalidateQueries() };
  const set = useMutation(trpc.metric.setName.mutationOptions(options));
  const reset = useMutation(trpc.metric.resetName.mutationOptions(options));
  const error = set.error ?? reset.error;
  const wanted = typed.trim();
  return (
    <li className="row" style={{ gap: 12, padding: "8px 14px", flexWrap: "wrap" }}>
      <span style={{ width: 220 }}>
        {LABELS[metric]}
        {actor !== null && <span className="i3"> · set by {actor}</span>}
      </span>
      <TextInput
        style={{ flex: 1, minWidth: 200 }}
        aria-label={`Key of ${LABELS[metric]}`}
        placeholder={known[0]}
        title={`Known names: ${known.join(", ")}`}
        value={typed}
        error={error ? describeError(error).message : undefined}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button
        disabled={wanted === "" || wanted === key}
        loading={set.isPending}
        onClick={() => set.mutate({ project, metric, key: wanted })}
      >
        Save
      </Button>
      <Button
        disabled={key === null}
        loading={reset.isPending}
        onClick={() => reset.mutate({ project, metric })}
      >
        Reset
      </Button>
    </li>
  );
}
