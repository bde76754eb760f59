import type { JoinedRunner } from "@liverl/contract/sandbox";
import styles from "#sandboxes/sandboxes.module.css";
import { Meter } from "#ui/meter.tsx";
import { Panel } from "#ui/panel.tsx";
import { When } from "#ui/when.tsx";

/** Runners of other hosts that take trials. */
export function RunnersPanel({ runners }: { runners: readonly JoinedRunner[] }) {
  return (
    <Panel title="Joined runners" note={runners.length}>
      <ul className={styles.images} aria-label="Joined runners">
        {runners.map(({ name, sandbox, slots, trials, heardAt }) => (
          <li key={name}>
            <span className={styles.two}>
              <span className="m trunc" title={name}>
                {name}
              </span>
              <span className="i3">
                heard of <When at={heardAt} /> ago
              </span>
            </span>
            <span className="row nowrap">
              <Meter share={trials / slots} width={72} /> {trials} of {slots} slots
            </span>
            <span className={`i2 trunc ${styles.wide}`}>{sandbox}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
