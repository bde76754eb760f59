import type { OutlineRow } from "#trajectories/prepare-outline.ts";
import styles from "#trajectories/trajectories.module.css";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";

/** Places of the conversation; the last one opens the verifier. */
export function Outline({
  rows,
  current,
  verdict,
  onJump,
  onVerifier,
}: {
  rows: readonly OutlineRow[];
  current: number | null;
  /** What the verifier said, in a word; null when it has not run. */
  verdict: { label: string; failed: boolean } | null;
  onJump: (nodeId: number) => void;
  onVerifier: () => void;
}) {
  return (
    <nav className={`${styles.outline} scroll`} aria-label="Outline">
      {rows.map((row) =>
        row.kind === "break" ? (
          <div key={row.key} className={styles.break}>
            {row.label}
          </div>
        ) : (
          <button
            key={row.nodeId}
            type="button"
            aria-current={row.nodeId === current || undefined}
            data-failed={row.failed || undefined}
            onClick={() => onJump(row.nodeId)}
          >
            <span className={styles.n}>{row.turn}</span>
            <Icon name={row.icon} size={13} />
            <span className="trunc" title={row.label}>
              {row.label}
            </span>
            <span className={styles.tk}>{formatCount(row.tokens)}</span>
          </button>
        ),
      )}
      <div className={styles.break}>end of rollout</div>
      {verdict && (
        <button type="button" data-failed={verdict.failed || undefined} onClick={onVerifier}>
          <span />
          <Icon name="shield" size={13} />
          <span className="trunc">Verifier {verdict.label}</span>
        </button>
      )}
      <div className={styles.key}>
        <div>
          <i />
          sampled, trained
        </div>
        <div>
          <i className="hatch" />
          given, mask 0
        </div>
      </div>
    </nav>
  );
}
