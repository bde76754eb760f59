"use client";
import { type PriceView, SetPrice } from "@liverl/contract/price";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { parseBound } from "#settings/prepare-thresholds.ts";
import styles from "#settings/settings.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** What an hour of a device costs: by it the cost of runs is reckoned in money. */
export function PricesPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.price.get.queryOptions({ project }));
  const { data } = query;
  return (
    <div id="prices">
      <Panel title="Prices" note="what runs cost in money">
        {data ? (
          // What is typed stands until the prices change: then the form begins anew.
          <Prices key={JSON.stringify(data)} project={project} prices={data} />
        ) : query.isError ? (
          <ErrorState
            what="The prices could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <SkeletonRows rows={1} />
        )}
      </Panel>
    </div>
  );
}

const textOf = (value: number | null) => (value === null ? "" : String(value));

function Prices({ project, prices }: { project: string; prices: PriceView }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [draft, setDraft] = useState({
    gpuHour: textOf(prices.gpuHour),
    cpuHour: textOf(prices.cpuHour),
    currency: prices.currency,
  });
  const set = useMutation(
    trpc.price.set.mutationOptions({ onSuccess: () => queries.invalidateQueries() }),
  );
  const read = SetPrice.safeParse({
    project,
    gpuHour: parseBound(draft.gpuHour),
    cpuHour: parseBound(draft.cpuHour),
    currency: draft.currency.trim().toUpperCase(),
  });
  const isDirty =
    draft.gpuHour !== textOf(prices.gpuHour) ||
    draft.cpuHour !== textOf(prices.cpuHour) ||
    draft.currency !== prices.currency;
  const fault = read.success ? null : (read.error.issues[0]?.message ?? null);
  const field = (name: keyof typeof draft, label: string, placeholder?: string) => (
    <div className={styles.bound}>
      <span className="i3" aria-hidden="true">
        {label}
      </span>
      <TextInput
        aria-label={label}
        value={draft[name]}
        placeholder={placeholder}
        w={84}
        onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
      />
    </div>
  );
  return (
    <form
      className={styles.prices}
      onSubmit={(event) => {
        event.preventDefault();
        if (read.success && isDirty) set.mutate(read.data);
      }}
    >
      {field("gpuHour", "GPU-hour", "no price")}
      {field("cpuHour", "CPU-hour", "no price")}
      {field("currency", "Currency")}
      <Button
        type="submit"
        variant="filled"
        disabled={!isDirty || fault !== null}
        loading={set.isPending}
      >
        Save
      </Button>
      <p className="i3 f12">
        {isDirty && fault !== null ? (
          <span className="bad-t" role="alert">
            {fault}
          </span>
        ) : set.isError ? (
          <span className="bad-t" role="alert">
            {describeError(set.error).message}
          </span>
        ) : prices.changedAt === null ? (
          "Nobody has set a price: runs are reckoned in hours alone."
        ) : (
          <>
            Set by {prices.actor} <Ago at={prices.changedAt} />
          </>
        )}
      </p>
    </form>
  );
}
