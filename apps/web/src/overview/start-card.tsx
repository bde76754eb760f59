import type { RunDetail, StartCheck } from "@liverl/contract/run";
import type { DotKind } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** Steps after which a start that was good is no news. */
const YOUNG = 5;
const YOUNG_IF_BAD = 20;

const MARKS = {
  pass: { dot: "ok", word: "yes" },
  fail: { dot: "bad", word: "no" },
  wait: { dot: "off", word: "waits" },
} as const satisfies Record<StartCheck["status"], { dot: DotKind; word: string }>;

/** While a run is young, and a little longer where its start was bad. */
export function showsStart({ step, verdict }: Pick<RunDetail, "step" | "verdict">): boolean {
  const isBad = verdict.start.some(({ status }) => status === "fail");
  return verdict.start.length > 0 && step <= (isBad ? YOUNG_IF_BAD : YOUNG);
}

/** What the first two steps have to show, ticked by what was logged. */
export function StartCard({ run }: { run: RunDetail }) {
  return (
    <div className="adv">
      <h3>First two steps</h3>
      <dl className="marks">
        {run.verdict.start.map(({ id, label, status, detail }) => (
          <div key={id} title={detail}>
            <dt>{label}</dt>
            <dd>
              <StatusWord kind={MARKS[status].dot}>{MARKS[status].word}</StatusWord>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
