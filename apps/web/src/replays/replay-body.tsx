"use client";
import { isReplayOver, type ReplayView } from "@liverl/contract/replay";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { sortSamples } from "#replays/prepare-replay.ts";
import { ReplayBar } from "#replays/replay-bar.tsx";
import { ReplayHead } from "#replays/replay-head.tsx";
import { ReplayList } from "#replays/replay-list.tsx";
import styles from "#replays/replays.module.css";
import { OriginalCard, SampleCard, WaitingCard } from "#replays/sample-card.tsx";
import { useReplayKeys } from "#replays/use-replay-keys.ts";
import { useReplayView } from "#replays/use-replay-view.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Panel } from "#ui/panel.tsx";

/** The original and the completions side by side, and the rollout's other replays. */
export function ReplayBody({ view, project }: { view: ReplayView; project: string }) {
  const look = useReplayView();
  const samples = useMemo(() => sortSamples(view.samples, look.sort), [view.samples, look.sort]);
  const order = useMemo(() => samples.map(({ index }) => index + 1), [samples]);
  useReplayKeys(look, order);
  const waiting = isReplayOver(view.status) ? 0 : view.n - view.sampled;
  const { rolloutId } = view;
  const others = useQuery(useTRPC().replay.list.queryOptions({ rolloutId })).data?.replays ?? [];
  const original = view.original.tokens.text.join("");
  return (
    <div className={styles.page}>
      <ReplayHead view={view} project={project} />
      {view.error !== null && (
        <p className="note bad" role="alert">
          {view.error}
          {view.sampled > 0 && ` ${view.sampled} of ${view.n} were sampled before.`}
        </p>
      )}
      <ReplayBar look={look} hasScores={view.original.scores !== null} />
      <div className={styles.cards}>
        <OriginalCard view={view} look={look} />
        {samples.map((sample) => (
          <SampleCard
            key={sample.index}
            sample={sample}
            original={original}
            look={look}
            isOn={look.at === sample.index + 1}
          />
        ))}
        {Array.from({ length: waiting }, (_, at) => {
          // Which of them comes next is not known.
          const key = `waiting-${at}`;
          return <WaitingCard key={key} />;
        })}
      </div>
      {others.length > 1 && (
        <Panel title="Replays of this rollout" note={String(others.length)}>
          <ReplayList replays={others} project={project} current={view.id} />
        </Panel>
      )}
    </div>
  );
}
