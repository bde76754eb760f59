"use client";
import { boundsFault } from "@liverl/contract/threshold";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type PreparedThreshold, parseBound } from "#settings/prepare-thresholds.ts";
import styles from "#settings/settings.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";

const textOf = (value: number | null) => (value === null ? "" : String(value));

/** One threshold: its bounds to type over, where its default comes from, and the way back. */
export function ThresholdRow({ project, row }: { project: string; row: PreparedThreshold }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [draft, setDraft] = useState({ warn: textOf(row.warn), bad: textOf(row.bad) });
  const onSuccess = () => queries.invalidateQueries();
  const set = useMutation(trpc.threshold.set.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.threshold.reset.mutationOptions({ onSuccess }));
  const warn = parseBound(draft.warn);
  const bad = parseBound(draft.bad);
  const isDirty = warn !== row.warn || bad !== row.bad;
  const fault =
    warn === undefined || bad === undefined
      ? "Write a number, or nothing."
      : boundsFault(row.id, { warn, bad });
  const error = set.error ?? reset.error;
  const save = () => {
    if (warn !== undefined && bad !== undefined && fault === null && isDirty)
      set.mutate({ project, id: row.id, warn, bad });
  };
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <b>{row.label}</b>
        <span className="m i3 trunc" title={row.metric}>
          {row.metric}
        </span>
      </div>
      <form
        className={styles.bounds}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Bound
          label={`Warning ${row.side}`}
          of={row.label}
          value={draft.warn}
          isFaulty={isDirty && fault !== null}
          onChange={(text) => setDraft({ ...draft, warn: text })}
        />
        <Bound
          label={`Alarm ${row.side}`}
          of={row.label}
          value={draft.bad}
          isFaulty={isDirty && fault !== null}
          onChange={(text) => setDraft({ ...draft, bad: text })}
        />
        <span className={`i3 ${styles.unit}`}>{row.unit}</span>
        {isDirty ? (
          <Button type="submit" variant="filled" disabled={fault !== null} loading={set.isPending}>
            Save
          </Button>
        ) : row.isChanged ? (
          <Button
            loading={reset.isPending}
            aria-label={`Reset ${row.label}`}
            onClick={() => reset.mutate({ project, id: row.id })}
          >
            Reset
          </Button>
        ) : null}
      </form>
      <div className={styles.source}>
        {isDirty && fault !== null && (
          <span className="bad-t" role="alert">
            {fault}
          </span>
        )}
        {error && <span className="bad-t">{describeError(error).message}</span>}
        <span className="i2">{row.source}</span>
        <span className="i3">
          {row.changedAt === null ? (
            "Default"
          ) : (
            <>
              Default {row.usual}; changed by {row.actor} <Ago at={row.changedAt} />
            </>
          )}
        </span>
      </div>
    </li>
  );
}

function Bound({
  label,
  of,
  value,
  isFaulty,
  onChange,
}: {
  label: string;
  of: string;
  value: string;
  isFaulty: boolean;
  onChange: (text: string) => void;
}) {
  return (
    <div className={styles.bound}>
      <span className="i3" aria-hidden="true">
        {label}
      </span>
      <TextInput
        aria-label={`${label}: ${of}`}
        value={value}
        placeholder="off"
        inputMode="decimal"
        error={isFaulty}
        w={76}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
