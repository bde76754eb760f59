import type { Contradiction, StepVerdict, VerifierTest } from "@liverl/contract/verifier-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { type ReactNode, useState } from "react";
import { IntegrityPanel } from "#trajectories/integrity-panel.tsx";
import styles from "#trajectories/trajectories.module.css";
import own from "#trajectories/verifier.module.css";
import { CopyButton } from "#ui/copy-button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount, formatNumber } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { plainText } from "#ui/plain-text.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** What the verifier gave, test by test where it reports them, and its own words. */
export function VerifierView({
  view,
  hrefOf,
}: {
  view: TrajectoryView;
  hrefOf: (rolloutId: string) => string;
}) {
  const { verifier, rollout } = view;
  return (
    <div className={`${styles.pane} ${own.stack} scroll`}>
      {rollout.error && (
        <Panel title="Error" note={rollout.error.exception_type} className="col">
          <div className={styles.block} style={{ margin: 12 }}>
            {plainText(rollout.error.exception_message) || "No message."}
          </div>
        </Panel>
      )}
      {verifier === null ? (
        <EmptyState title="No verdict">
          {rollout.error
            ? "The attempt ended with the error above, and has no reward for it."
            : "The verifier runs when the agent has ended."}
        </EmptyState>
      ) : (
        <>
          {view.contradiction && (
            <ContradictionNote
              earlier={view.contradiction}
              reward={rollout.reward}
              href={hrefOf(view.contradiction.rolloutId)}
            />
          )}
          {verifier.integrity.length > 0 && (
            <IntegrityPanel flags={verifier.integrity} view={view} hrefOf={hrefOf} />
          )}
          {verifier.tests && <TestsPanel tests={verifier.tests} />}
          {verifier.steps.length === 0 ? (
            <OutputPanel title="Verifier" verdict={verifier} reward={rollout.reward} />
          ) : (
            verifier.steps.map((step) => <StepPanels key={step.name} step={step} />)
          )}
        </>
      )}
    </div>
  );
}

/** The same answer was judged otherwise before: the way to that verdict. */
function ContradictionNote({
  earlier,
  reward,
  href,
}: {
  earlier: Contradiction;
  reward: number | null;
  href: string;
}) {
  return (
    <p className="note warn" role="status">
      <StatusDot kind="warn" />
      <span>
        The same answer earned {formatNumber(earlier.reward)} at step {earlier.step}, and{" "}
        {reward === null ? "nothing" : formatNumber(reward)} here: the tests have changed, not the
        answer.
      </span>
      <Link className="lnk" href={href}>
        Its verdict at step {earlier.step}
      </Link>
    </p>
  );
}

/** One step of a task: what it came to, its tests and their words. */
function StepPanels({ step }: { step: StepVerdict }) {
  const { name, rewards, exception, tests } = step;
  const reward = rewards === null ? null : (rewards.reward ?? Object.values(rewards)[0] ?? null);
  return (
    <>
      <OutputPanel title={`Step ${name}`} verdict={step} reward={reward}>
        {exception && (
          <p className={own.fault}>
            <span className="m">{exception.type}</span> {exception.message}
          </p>
        )}
      </OutputPanel>
      {tests && <TestsPanel tests={tests} of={name} />}
    </>
  );
}

function OutputPanel({
  title,
  verdict: { stdout, outcome, passed, total },
  reward,
  children,
}: {
  title: string;
  verdict: Pick<StepVerdict, "stdout" | "outcome" | "passed" | "total">;
  reward: number | null;
  children?: ReactNode;
}) {
  return (
    <Panel
      title={title}
      note={
        <StatusWord kind={reward === null ? "warn" : reward >= 1 ? "ok" : "bad"}>
          {outcome}
          {passed !== null && total !== null && ` · ${passed} of ${total} tests`}
        </StatusWord>
      }
      right={<CopyButton text={stdout} what="the output" />}
    >
      {children}
      <div className={styles.block} style={{ margin: 12, maxHeight: "none" }}>
        {stdout === "" ? <span className="i3">It printed nothing.</span> : stdout}
      </div>
    </Panel>
  );
}

const KINDS = {
  passed: "ok",
  failed: "bad",
  skipped: "off",
  pending: "off",
  other: "warn",
} as const;
const SHOWN = 200;

/** Failed ones first: they are what one came for. */
function TestsPanel({ tests, of }: { tests: readonly VerifierTest[]; of?: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const sorted = [...tests].sort(
    (a, b) => Number(b.status === "failed") - Number(a.status === "failed"),
  );
  const shown = showsAll ? sorted : sorted.slice(0, SHOWN);
  return (
    <Panel
      title={of === undefined ? "Tests" : `Tests of ${of}`}
      note={`${formatCount(tests.length)} in its report`}
    >
      <ul className={own.tests}>
        {shown.map((test, at) => (
          // A report may name two tests alike.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
          <li key={`${at} ${test.name}`}>
            <StatusWord kind={KINDS[test.status]}>{test.status}</StatusWord>
            {test.message === null ? (
              <span className="m">{test.name}</span>
            ) : (
              <details open={test.status === "failed" && tests.length < 20}>
                <summary className="m">{test.name}</summary>
                <pre className={styles.block}>{test.message}</pre>
              </details>
            )}
            <span className="r i3">
              {test.seconds === null ? "" : formatDuration(test.seconds)}
            </span>
          </li>
        ))}
      </ul>
      {shown.length < sorted.length && (
        <button type="button" className={`lnk ${own.more}`} onClick={() => setShowsAll(true)}>
          Show all {formatCount(sorted.length)}
        </button>
      )}
    </Panel>
  );
}
