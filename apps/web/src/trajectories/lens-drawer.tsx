import { surpriseBin } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { useMemo } from "react";
import {
  LENSES,
  type Lens,
  type LensChart,
  prepareLensChart,
  SURPRISE_EDGES,
} from "#trajectories/prepare-lens.ts";
import { showToken, type TokenRow, tokenBytes } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";
import { Kbd } from "#ui/kbd.tsx";

const LENS_LABELS: Record<Lens, string> = {
  none: "none",
  mask: "mask",
  logprob: "logprob",
  advantage: "advantage",
  version: "version",
};

/** Which lens is on, what its tints mean and how the values spread; below, all that is known of the chosen token. */
export function LensDrawer({
  view,
  lens,
  token,
  onLens,
}: {
  view: TrajectoryView;
  lens: Lens;
  token: TokenRow | null;
  onLens: (lens: Lens) => void;
}) {
  const chart = useMemo(() => prepareLensChart(lens, view), [lens, view]);
  return (
    <aside className={`${styles.lens} scroll`} aria-label="Token lens">
      <section>
        <h3>
          Lens
          <span className="end">
            <Kbd>l</Kbd>
          </span>
        </h3>
        <div className={styles.lenses} role="group" aria-label="Lens">
          {LENSES.map((known) => (
            <button
              key={known}
              type="button"
              aria-pressed={known === lens}
              onClick={() => onLens(known)}
            >
              {LENS_LABELS[known]}
            </button>
          ))}
        </div>
      </section>
      {chart && (
        <section>
          <h3>
            {chart.title}
            <span className="end i3" style={{ fontWeight: 400 }}>
              {chart.note}
            </span>
          </h3>
          {lens === "logprob" ? (
            <SurpriseChart chart={chart} token={token} />
          ) : (
            <SharesChart chart={chart} />
          )}
          {chart.words !== null && <p className="hint">{chart.words}</p>}
        </section>
      )}
      <TokenFacts token={token} advantage={view.advantage.value} />
    </aside>
  );
}

function SurpriseChart({ chart, token }: { chart: LensChart; token: TokenRow | null }) {
  const on = token === null || token.logprob === null ? null : surpriseBin(-token.logprob);
  return (
    <>
      <div className={styles.ramp} aria-hidden="true">
        {[0, 1, 2, 3, 4, 5].map((level) => (
          <i key={level} style={level === 0 ? undefined : { background: `var(--q${level})` }} />
        ))}
      </div>
      <div className={styles.rampLabels}>
        {[0, ...SURPRISE_EDGES].map((edge) => (
          <span key={edge}>{edge}</span>
        ))}
      </div>
      <div
        className={styles.histogram}
        role="img"
        aria-label={`${chart.title}: ${chart.bars
          .filter((bar) => bar.count > 0)
          .map((bar) => `${bar.label} ${bar.count}`)
          .join(", ")}`}
      >
        {chart.bars.map((bar, at) => (
          <i
            key={bar.label}
            title={`${bar.label} nat: ${formatCount(bar.count)}`}
            data-on={at === on || undefined}
            style={{
              height: `${bar.height * 100}%`,
              background: bar.tint === "q0" ? undefined : `var(--${bar.tint})`,
              visibility: bar.count === 0 ? "hidden" : undefined,
            }}
          />
        ))}
      </div>
      <div className={styles.rampLabels}>
        {chart.axis.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
    </>
  );
}

function SharesChart({ chart }: { chart: LensChart }) {
  return (
    <div className={styles.shares}>
      {chart.bars.map((bar) => (
        <ShareRow
          key={bar.label}
          label={bar.label}
          count={bar.count}
          height={bar.height}
          tint={bar.tint}
        />
      ))}
    </div>
  );
}

function ShareRow({
  label,
  count,
  height,
  tint,
}: {
  label: string;
  count: number;
  height: number;
  tint: string;
}) {
  return (
    <>
      <span className="i2">{label}</span>
      <i className={tint === "" ? undefined : styles[tint]} style={{ width: `${height * 100}%` }} />
      <span className="r">{formatCount(count)}</span>
    </>
  );
}

function TokenFacts({ token, advantage }: { token: TokenRow | null; advantage: number | null }) {
  if (token === null) {
    return (
      <section>
        <h3>Token</h3>
        <p className="hint">
          Click a token to see its id, bytes, log-prob and weights. ← and → move on from it.
        </p>
      </section>
    );
  }
  const facts: [string, string][] = [
    ["Id", String(token.id)],
    ["Bytes", tokenBytes(token.text)],
    ["Log-prob", logprobOf(token)],
    ["Probability", token.logprob === null ? "—" : formatPercent(Math.exp(token.logprob), 2)],
    [
      "−log p",
      token.logprob === null
        ? "—"
        : `${formatNumber(token.logprob === 0 ? 0 : -token.logprob)} nat`,
    ],
    ...(advantage === null || token.mask === 0
      ? []
      : [["Advantage", formatSigned(advantage, (size) => size.toFixed(2))] as [string, string]]),
    ["Mask", token.mask === 1 ? "1, trained" : "0"],
    ...(token.isLossy
      ? [["Written by", "the client, in the model's place"] as [string, string]]
      : []),
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
