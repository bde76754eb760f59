"use client";
import { isReplayOver, type ReplaySampling, type ReplayView } from "@liverl/contract/replay";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeReplay } from "#replays/describe-replay.ts";
import { nameWeights } from "#replays/prepare-replay.ts";
import styles from "#replays/replays.module.css";
import { againHref, turnHref } from "#shell/links.ts";
import frame from "#trajectories/trajectories.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";
import { formatCount, formatNumber } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** What was sampled again, with what, by whom, and how it stands. */
export function ReplayHead({ view, project }: { view: ReplayView; project: string }) {
  const { dot, words } = describeReplay(view);
  return (
    <header>
      <div className={`${frame.title} ${styles.title}`}>
        <h1>Turn {view.turn}, sampled again</h1>
        <span role="status">
          <StatusWord kind={dot}>{words}</StatusWord>
        </span>
        <div className="grow" />
        <span className="row">
          {!isReplayOver(view.status) && <Cancel id={view.id} />}
          <Button component={Link} href={turnHref(project, view.runId, view)} size="xs">
            Open the turn
          </Button>
          <Button component={Link} href={againHref(project, view.runId, view)} size="xs">
            Sample again…
          </Button>
        </span>
      </div>
      <p className={`hint ${styles.plain}`}>
        Only this model call was sampled again, from its recorded token ids. No tool ran and no
        sandbox was started. The completions are a group of their own: they never train and count in
        no metric.
      </p>
      <dl className={`${frame.facts} ${styles.facts}`}>
        {factsOf(view).map(([label, value, small]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {value} {small && <small>{small}</small>}
            </dd>
          </div>
        ))}
        <div>
          <dt>Asked for</dt>
          <dd>
            <Ago at={view.createdAt} /> <small>by {view.actor}</small>
          </dd>
        </div>
      </dl>
    </header>
  );
}

function factsOf(view: ReplayView): [label: string, value: string, small?: string][] {
  const was = view.original.sampling;
  const one = (name: keyof ReplaySampling & ("temperature" | "top_p" | "max_tokens")) =>
    view.sampling[name] === was[name] ? undefined : `was ${formatNumber(was[name])}`;
  return [
    ["Weights", nameWeights(view.weights)],
    ["Temperature", formatNumber(view.sampling.temperature), one("temperature")],
    ["Top p", formatNumber(view.sampling.top_p), one("top_p")],
    ["Max tokens", formatCount(view.sampling.max_tokens), one("max_tokens")],
    ["Prompt", formatCount(view.promptTokens), "tokens"],
  ];
}

function Cancel({ id }: { id: string }) {
  const queries = useQueryClient();
  const trpc = useTRPC();
  const cancel = useMutation(
    trpc.replay.cancel.mutationOptions({
      onSettled: () => queries.invalidateQueries(trpc.replay.pathFilter()),
    }),
  );
  return (
    <>
      {cancel.isError && <span className="bad-t f12">{describeError(cancel.error).message}</span>}
      <Button size="xs" loading={cancel.isPending} onClick={() => cancel.mutate({ id })}>
        Cancel
      </Button>
    </>
  );
}
