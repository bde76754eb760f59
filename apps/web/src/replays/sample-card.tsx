import { isReplayOver, type ReplaySample, type ReplayView } from "@liverl/contract/replay";
import { memo, useMemo } from "react";
import {
  diffAgainst,
  type TintedRun,
  tintByChange,
  tintByLogprob,
} from "#replays/prepare-replay.ts";
import styles from "#replays/replays.module.css";
import { sampleAnchor } from "#replays/use-replay-keys.ts";
import type { ReplayLook } from "#replays/use-replay-view.ts";
import tokens from "#trajectories/trajectories.module.css";
import { formatCount, formatNumber } from "#ui/format-number.ts";
import { Skeleton } from "#ui/skeleton.tsx";

/** The turn as it was recorded, with what the chosen weights give it. */
export function OriginalCard({
  view,
  look: { show, side },
}: {
  view: ReplayView;
  look: ReplayLook;
}) {
  const { original } = view;
  const { tokens: strip, scores, scoreFault } = original;
  const runs = useMemo(() => {
    if (show !== "logprob") return null;
    if (scores === null || side === "recorded") return tintByLogprob(strip.text, strip.logprobs);
    return side === "these" ? tintByLogprob(strip.text, scores) : tintByChange(original);
  }, [show, side, strip, scores, original]);
  return (
    <article className={styles.card} data-original aria-label="Original">
      <CardHead name="Original" sample={original} />
      <p className={styles.score} title={scoreFault ?? undefined}>
        {scoreWords(view)}
      </p>
      <div className={styles.text}>{runs ? <Runs runs={runs} /> : strip.text.join("")}</div>
    </article>
  );
}

function scoreWords({ original: { meanScore, scoreFault }, status }: ReplayView): string {
  if (meanScore !== null) return `Under these weights: mean log-prob ${formatNumber(meanScore)}`;
  if (scoreFault !== null) return "The engine gives no log-probs for it.";
  return `Under these weights: not known${isReplayOver(status) ? "" : " yet"}`;
}

export const SampleCard = memo(function SampleCard({
  sample,
  original,
  look: { show },
  isOn,
}: {
  sample: ReplaySample;
  /** The original's text. */
  original: string;
  look: Pick<ReplayLook, "show">;
  isOn: boolean;
}) {
  const number = sample.index + 1;
  return (
    <article
      className={styles.card}
      id={sampleAnchor(number)}
      data-on={isOn || undefined}
      aria-label={`Completion ${number}`}
    >
      <CardHead name={`Completion ${number}`} sample={sample} />
      {sample.flaw !== null && <p className={`${styles.score} warn-t`}>{sample.flaw}</p>}
      <div className={styles.text}>
        {show === "difference" ? (
          <Difference original={original} text={sample.tokens.text.join("")} />
        ) : show === "logprob" ? (
          <Runs runs={tintByLogprob(sample.tokens.text, sample.tokens.logprobs)} />
        ) : (
          sample.tokens.text.join("")
        )}
      </div>
    </article>
  );
});

/** A completion that is not there yet. */
export function WaitingCard() {
  return (
    <article
      className={styles.card}
      aria-label="A completion that is being sampled"
      aria-busy="true"
    >
      <div className={styles.waiting}>
        <Skeleton width="40%" height={12} />
        <Skeleton width="92%" height={12} />
        <Skeleton width="78%" height={12} />
      </div>
    </article>
  );
}

function CardHead({
  name,
  sample: { tokens: strip, stopReason, meanLogprob },
}: {
  name: string;
  sample: Pick<ReplaySample, "tokens" | "stopReason" | "meanLogprob">;
}) {
  const versions = [...new Set(strip.versions?.filter((one) => one !== null))];
  return (
    <header className={styles.cardHead}>
      <h2>{name}</h2>
      <span className="i3" title="Mean log-prob of its tokens, in nats">
        {formatNumber(meanLogprob)} nat
      </span>
      <span className="i3">{formatCount(strip.ids.length)} tokens</span>
      {stopReason === "length" && <span className="warn-t">cut at max tokens</span>}
      <span className="end row g4">
        {versions.map((version) => (
          <span key={version} className="tag m">
            v{version}
          </span>
        ))}
      </span>
    </header>
  );
}

function Runs({ runs }: { runs: readonly TintedRun[] }) {
  return runs.map(({ at, text, tint }) => (
    <span key={at} className={tint === "" ? undefined : `${styles.tok} ${tokens[tint] ?? ""}`}>
      {text}
    </span>
  ));
}

function Difference({ original, text }: { original: string; text: string }) {
  const pieces = useMemo(() => diffAgainst(original, text), [original, text]);
  if (pieces === null)
    return (
      <>
        <span className="i3">Too long and too different to be compared. </span>
        {text}
      </>
    );
  if (pieces.every(({ kind }) => kind === "same"))
    return (
      <>
        <span className={styles.same}>The same text as the original</span>
        {text}
      </>
    );
  return pieces.map(({ kind, text: piece }, at) => {
    // Pieces of one text have no identity but their place.
    const key = `${at}`;
    if (kind === "added") return <ins key={key}>{piece}</ins>;
    return kind === "removed" ? <del key={key}>{piece}</del> : <span key={key}>{piece}</span>;
  });
}
