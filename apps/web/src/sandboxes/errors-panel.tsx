import type { SandboxError } from "@liverl/contract/sandbox";
import styles from "#sandboxes/sandboxes.module.css";
import { trajectoryHref } from "#shell/links.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { plainText } from "#ui/plain-text.ts";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { When } from "#ui/when.tsx";

/** Errors that ended rollouts, by type: a bar an hour, and the newest in its own words. Null: they are not counted yet. */
export function ErrorsPanel({ errors }: { errors: readonly SandboxError[] | null }) {
  const most = Math.max(1, ...(errors ?? []).flatMap(({ hourly }) => hourly));
  return (
    <Panel title="Errors" note="24 hours, a bar an hour">
      {errors === null ? (
        <SkeletonRows rows={2} height={40} />
      ) : errors.length === 0 ? (
        <EmptyState title="No rollout ended with an error">
          Infrastructure that fails a trial is told here, and is never a reward.
        </EmptyState>
      ) : (
        <ul className={styles.errors} aria-label="Errors by type">
          {errors.map(({ type, count, hourly, last }) => (
            <li key={type}>
              <span className="m trunc" title={type}>
                {type}
              </span>
              <b className="r">{formatCount(count)}</b>
              <svg
                viewBox={`0 0 ${hourly.length} ${most}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`${count} in 24 hours`}
              >
                {hourly.map((value, hour) => (
                  <rect
                    // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place
                    key={hour}
                    x={hour + 0.1}
                    width={0.8}
                    y={most - value}
                    height={value}
                  />
                ))}
              </svg>
              <span className={styles.last}>
                <span className={styles.message} title={plainText(last.message)}>
                  {plainText(last.message) || "No message."}
                </span>
                <span className="i3 nowrap">
                  <When at={last.at} />{" "}
                  {last.run && (
                    <Link
                      href={`${trajectoryHref(last.run.project, last.run.id, last.rolloutId)}?tab=verifier`}
                      className="acc-t"
                    >
                      its trial
                    </Link>
                  )}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
