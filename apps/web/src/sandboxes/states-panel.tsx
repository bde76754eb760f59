import type { SandboxesView } from "@liverl/contract/cluster";
import { SandboxState } from "@liverl/contract/sandbox";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Bar, BarChart, ResponsiveContainer, XAxis, YAxis } from "recharts";
import { countStates, mostAtOnce, STATES } from "#sandboxes/prepare-sandboxes.ts";
import styles from "#sandboxes/sandboxes.module.css";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";

const FLUSH = { top: 0, right: 0, bottom: 0, left: 0 };

/** How many are in each state, over a quarter of an hour; a state is a filter of the trials. */
export function StatesPanel({ view }: { view: Pick<SandboxesView, "trials" | "history"> }) {
  const [shown, setShown] = useQueryState("state", parseAsStringLiteral(SandboxState.options));
  const counts = countStates(view.trials);
  const most = mostAtOnce(view.history);
  return (
    <Panel
      title="States"
      note="15 min, while watched"
      right={<b className="nowrap">{formatCount(view.trials.length)} now</b>}
    >
      <div className={styles.chart}>
        <span className={styles.most}>{formatCount(most)}</span>
        <div
          role="img"
          aria-label={`Sandboxes by state over 15 minutes, ${most} at most`}
          className={styles.stack}
        >
          <ResponsiveContainer>
            <BarChart
              data={view.history.map((counts) => counts ?? {})}
              margin={FLUSH}
              barCategoryGap={0}
              accessibilityLayer={false}
            >
              <XAxis hide />
              <YAxis hide domain={[0, most]} />
              {SandboxState.options.map((state) => (
                <Bar
                  key={state}
                  dataKey={state}
                  stackId="states"
                  fill={STATES[state].color}
                  isAnimationActive={false}
                />
              ))}
            </BarChart>
          </ResponsiveContainer>
        </div>
        <span className={styles.axis}>
          <span>−15 m</span>
          <span>−10 m</span>
          <span>−5 m</span>
          <span>now</span>
        </span>
      </div>
      <div className={styles.states} role="group" aria-label="Filter by state">
        {SandboxState.options.map((state) => (
          <button
            key={state}
            type="button"
            className={`chip ${shown === state ? "on" : ""}`}
            aria-pressed={shown === state}
            disabled={(counts[state] ?? 0) === 0 && shown !== state}
            onClick={() => void setShown(shown === state ? null : state)}
          >
            <i className="sw" style={{ background: STATES[state].color }} /> {STATES[state].label}{" "}
            <b>{formatCount(counts[state] ?? 0)}</b>
          </button>
        ))}
      </div>
    </Panel>
  );
}
