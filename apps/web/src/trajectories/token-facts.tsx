import { describeTraining } from "@liverl/contract/rollout-training";
import type { TrajectoryView } from "@liverl/contract/views";
import { showToken, type TokenRow, tokenBytes } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

type Fact = [label: string, value: string];

/** All that is known of the chosen token. */
export function TokenFacts({
  token,
  view,
}: {
  token: TokenRow | null;
  view: Pick<TrajectoryView, "advantage" | "trained" | "rollout">;
}) {
  if (token === null) {
    return (
      <section>
        <h3>Token</h3>
        <p className="hint">
          Click a token to see its id, bytes, log-probs and weights. ← and → move on from it.
        </p>
      </section>
    );
  }
  const facts: Fact[] = [
    ["Id", String(token.id)],
    ["Bytes", tokenBytes(token.text)],
    ["Rollout log-prob", logprobOf(token)],
    ["Probability", token.logprob === null ? "—" : formatPercent(Math.exp(token.logprob), 2)],
    ...ofUpdate(token, view.advantage.value),
    ["Mask", maskOf(token, view.rollout)],
    ...(token.isLossy ? [["Written by", "the client, in the model's place"] as Fact] : []),
    ["Weights", token.version === null ? "—" : `v${token.version}`],
    ["Node · turn", `${token.nodeId} · ${token.turn ?? token.role}`],
  ];
  return (
    <section aria-live="polite">
      <h3>
        Token
        <span className="tag m" style={{ color: "var(--ink)" }}>
          {showToken(token.text)}
        </span>
        <span className="end i3" style={{ fontWeight: 400 }}>
          position {formatCount(token.position)}
        </span>
      </h3>
      <dl className={styles.kv}>
        {facts.map(([label, value]) => (
          <FactLine key={label} label={label} value={value} />
        ))}
      </dl>
    </section>
  );
}

/** The mask says what would train; the rollout, whether it did. */
function maskOf({ mask }: TokenRow, { training }: TrajectoryView["rollout"]): string {
  return mask === 0 ? "0" : `1, ${describeTraining(training) ?? "trained"}`;
}

/** What the update that took it computed; of a token without a record its rollout's advantage alone. */
function ofUpdate({ trained, mask }: TokenRow, advantage: number | null): Fact[] {
  if (trained === null)
    return advantage === null || mask === 0 ? [] : [["Advantage", formatAdvantage(advantage)]];
  return [
    ["Trainer log-prob", formatNumber(trained.logprob)],
    ["|Δ log-prob|", `${formatNumber(trained.mismatch)} nat`],
    [
      "Ratio",
      trained.ratio === null
        ? "none, out of the loss"
        : `${formatTokenRatio(trained.ratio)}${trained.isClipped ? ", clipped" : ""}`,
    ],
    ["Entropy", `${formatNumber(trained.entropy)} nat`],
    ["Advantage", formatAdvantage(trained.advantage)],
    ...(trained.value === null
      ? []
      : [["Critic's value", formatNumber(trained.value)] satisfies Fact]),
  ];
}

const formatAdvantage = (advantage: number) =>
  Number.isFinite(advantage)
    ? formatSigned(advantage, (size) => size.toFixed(2))
    : formatNumber(advantage);

/** Of one token: near 1 the fifth decimal tells. */
export const formatTokenRatio = (ratio: number) =>
  Number.isFinite(ratio) && Math.abs(ratio) < 10 ? ratio.toFixed(5) : formatNumber(ratio);

function logprobOf({ logprob, isLossy }: TokenRow): string {
  if (logprob === null) return isLossy ? "none, no engine sampled it" : "none, it was given";
  return isLossy ? `${formatNumber(logprob)}, recomputed` : formatNumber(logprob);
}

function FactLine({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="m">{value}</dd>
    </>
  );
}
