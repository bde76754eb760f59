import { surpriseBin } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { useMemo, useState } from "react";
import type { LensChart } from "#trajectories/lens-histogram.ts";
import { LENSES, type Lens } from "#trajectories/prepare-lens.ts";
import { prepareLensChart } from "#trajectories/prepare-lens-chart.ts";
import type { TokenRow } from "#trajectories/prepare-tokens.ts";
import { trainedBinOf } from "#trajectories/prepare-trained-chart.ts";
import { TokenFacts } from "#trajectories/token-facts.tsx";
import styles from "#trajectories/trajectories.module.css";
import { formatCount } from "#ui/format-number.ts";
import { Kbd } from "#ui/kbd.tsx";

const LENS_LABELS: Record<Lens, string> = {
  none: "none",
  mask: "mask",
  logprob: "logprob",
  entropy: "entropy",
  ratio: "ratio",
  advantage: "adv",
  mismatch: "|Δlogp|",
  version: "version",
};
const LENS_TITLES: Partial<Record<Lens, string>> = {
  advantage: "advantage",
  mismatch: "log-prob of the trainer against that of the rollout",
  version: "weight version",
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
  // On a phone it is a line below the text until it is asked for, or a token is.
  const [wish, setWish] = useState<boolean | null>(null);
  const isOpen = wish ?? token !== null;
  const chart = useMemo(() => prepareLensChart(lens, view), [lens, view]);
  return (
    <aside
      className={`${styles.lens} scroll`}
      aria-label="Token lens"
      data-open={isOpen || undefined}
    >
      <button
        type="button"
        className={styles.lensToggle}
        aria-expanded={isOpen}
        onClick={() => setWish(!isOpen)}
      >
        <b className="med">Lens</b> <span className="i3">{LENS_LABELS[lens]}</span>
        <span className="end i3">{isOpen ? "Hide" : "Show"}</span>
      </button>
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
              title={LENS_TITLES[known]}
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
          {chart.ramp === null ? (
            <SharesChart chart={chart} />
          ) : (
            <Histogram
              chart={chart}
              ramp={chart.ramp}
              on={token && binOf(lens, token, view.trained.update?.clip ?? null)}
            />
          )}
          {chart.words !== null && <p className={`hint ${styles.lensWords}`}>{chart.words}</p>}
        </section>
      )}
      <TokenFacts token={token} view={view} />
    </aside>
  );
}

/** Bar of the chosen token. */
function binOf(lens: Lens, token: TokenRow, clip: { low: number; high: number } | null) {
  if (lens !== "logprob") return trainedBinOf(lens, token, clip);
  return token.logprob === null ? null : surpriseBin(-token.logprob);
}

function Histogram({
  chart,
  ramp,
  on,
}: {
  chart: LensChart;
  ramp: NonNullable<LensChart["ramp"]>;
  on: number | null;
}) {
  return (
    <>
      <div className={styles.ramp} aria-hidden="true">
        {ramp.tints.map((tint) => (
          <i key={tint} className={styles[tint]} />
        ))}
      </div>
      <div className={`${styles.rampLabels} ${styles.rampStarts}`}>
        {ramp.labels.map((label) => (
          <span key={label}>{label}</span>
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
            className={styles[bar.tint]}
            title={`${bar.label}: ${formatCount(bar.count)}`}
            data-on={at === on || undefined}
            style={{
              height: `${bar.height * 100}%`,
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
