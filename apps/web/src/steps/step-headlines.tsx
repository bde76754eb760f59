import type { Headline } from "@liverl/contract/views";
import { prepareHeadline } from "#steps/prepare-headline.ts";
import styles from "#steps/steps.module.css";
import { Sparkline } from "#ui/sparkline.tsx";

/** The step in a few numbers, each with its last steps as a line. */
export function StepHeadlines({
  headlines,
  previousStep,
}: {
  headlines: readonly Headline[];
  previousStep: number | null;
}) {
  // A run without rollouts has no value for most of them.
  const known = headlines.filter(
    ({ value, history }) => value !== null || history.some((past) => past !== null),
  );
  if (known.length === 0) return null;
  return (
    <section className={`panel ${styles.stats}`} aria-label="Headline numbers">
      {known.map((headline) => {
        const { value, of, change } = prepareHeadline(headline, previousStep);
        return (
          <div key={headline.id} className="stat" title={headline.hint ?? undefined}>
            <div className="k">{headline.label}</div>
            <div className={styles.statRow}>
              <div className="v">
                {value} {of && <small>{of}</small>}
              </div>
              <Sparkline values={headline.history} width={46} height={20} color="var(--ink-4)" />
            </div>
            <div className="d trunc">{change || headline.hint || "\u00a0"}</div>
          </div>
        );
      })}
    </section>
  );
}
