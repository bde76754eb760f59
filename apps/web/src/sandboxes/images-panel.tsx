import type { ImageWork } from "@liverl/contract/sandbox";
import styles from "#sandboxes/sandboxes.module.css";
import { Meter } from "#ui/meter.tsx";
import { Panel } from "#ui/panel.tsx";
import { When } from "#ui/when.tsx";

const WORDS = { building: "Building", pulling: "Pulling", waiting: "Waits for its turn" } as const;

/** Images that trials wait for. */
export function ImagesPanel({ images }: { images: readonly ImageWork[] }) {
  return (
    <Panel title="Images on their way" note={images.length}>
      <ul className={styles.images} aria-label="Images on their way">
        {images.map(({ name, kind, since, step, steps, line }) => (
          <li key={name}>
            <span className={styles.two}>
              <span className="m trunc" title={name}>
                {name}
              </span>
              <span className="i3">
                {WORDS[kind]} <When at={since} />
              </span>
            </span>
            {step !== null && steps !== null ? (
              <span className="row nowrap">
                <Meter share={step / steps} width={72} /> step {step} of {steps}
              </span>
            ) : (
              <span />
            )}
            <span className={`m i2 trunc ${styles.wide}`} title={line}>
              {line}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
