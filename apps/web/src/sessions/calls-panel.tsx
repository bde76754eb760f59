"use client";
import type { CallOutline, SessionOutline } from "@liverl/contract/session-view";
import { describeCall } from "#sessions/describe-call.ts";
import { type CallTiming, prepareTiming } from "#sessions/prepare-timings.ts";
import styles from "#sessions/sessions.module.css";
import { VirtualRows } from "#sessions/virtual-rows.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { formatClock } from "#ui/format-time.ts";
import { Panel } from "#ui/panel.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { useNow } from "#ui/use-now.ts";

const COLUMNS = [
  ...["#Call", "Kind", "Dialect", "Status", "Fork"],
  ...["#Prompt", "#Sampled", "Time", "#Total", "#Started"],
];
const NARROW = {
  columns: ["#Call", "Status", "Fork", "#Total"],
  widths: "30px 84px minmax(0, 1fr) 56px",
};

/** Every request of the agent, in order, with where its time went. */
export function CallsPanel({
  session,
  chosen,
  onCall,
}: {
  session: SessionOutline;
  chosen: number | null;
  onCall: (callId: number) => void;
}) {
  const now = useNow(1_000);
  const timings = new Map(
    session.calls.map((call) => [call.id, prepareTiming(call, session.live ? now : null)]),
  );
  const longestS = [...timings.values()].reduce((most, { totalS }) => Math.max(most, totalS), 0);
  return (
    <Panel
      className={styles.wide}
      title="Calls"
      note={`${formatCount(session.calls.length)} ${session.calls.length === 1 ? "request" : "requests"}`}
      right={<Legend />}
    >
      <VirtualRows
        label="Calls"
        columns={COLUMNS}
        widths="44px 92px 132px 110px minmax(110px, 1fr) 68px 68px minmax(150px, 1.6fr) 66px 68px"
        narrow={NARROW}
        rows={session.calls}
        rowHeight={28}
        height={280}
        keyOf={({ id }) => id}
        chosen={chosen}
        onChoose={onCall}
      >
        {(call) => (
          <Cells
            call={call}
            live={session.live}
            timing={timings.get(call.id) ?? prepareTiming(call, null)}
            longestS={longestS}
          />
        )}
      </VirtualRows>
    </Panel>
  );
}

function Cells({
  call,
  live,
  timing,
  longestS,
}: {
  call: CallOutline;
  live: boolean;
  timing: CallTiming;
  longestS: number;
}) {
  const status = describeCall(call, live);
  return (
    <>
      <span role="cell" className="num">
        {call.id}
      </span>
      <span role="cell" className={`${styles.extra} trunc`} title={call.subagent ?? undefined}>
        {call.kind}
      </span>
      <span role="cell" className={`${styles.extra} i2 trunc`}>
        {call.dialect}
      </span>
      <span role="cell" className="trunc" title={call.error ?? undefined}>
        <StatusWord kind={status.dot}>{status.words}</StatusWord>
      </span>
      <span role="cell" className="trunc" title={call.fork?.reason}>
        {call.fork && <span className="m">{call.fork.reason}</span>}
        {call.rewritten && (
          <span className="warn-t" title="The client gave an earlier turn back in other words">
            {call.fork ? " · " : ""}rewritten
          </span>
        )}
      </span>
      <span role="cell" className={`${styles.extra} num`}>
        {formatCount(call.usage.promptTokens)}
      </span>
      <span role="cell" className={`${styles.extra} num`}>
        {formatCount(call.usage.sampledTokens)}
      </span>
      <span role="cell" className={styles.extra}>
        <TimeBar timing={timing} longestS={longestS} />
      </span>
      <span role="cell" className="num">
        {formatDuration(timing.totalS)}
      </span>
      <span role="cell" className={`${styles.extra} num i3`}>
        {formatClock(call.startedAt)}
      </span>
    </>
  );
}

function TimeBar({ timing, longestS }: { timing: CallTiming; longestS: number }) {
  const part = (seconds: number) => `${longestS > 0 ? (seconds / longestS) * 100 : 0}%`;
  const words = `render ${formatDuration(timing.renderS)}, queue to first token ${formatDuration(timing.queueS)}, generate ${formatDuration(timing.generateS)}`;
  return (
    <span className={styles.timeBar} role="img" aria-label={words} title={words}>
      <i data-part="render" style={{ width: part(timing.renderS) }} />
      <i data-part="queue" style={{ width: part(timing.queueS) }} />
      <i
        data-part="generate"
        data-open={timing.isOver ? undefined : true}
        style={{ width: part(timing.generateS) }}
      />
    </span>
  );
}

function Legend() {
  return (
    <span className={`${styles.legend} ${styles.extra}`}>
      <span title="Render the prompt and make its intent durable">
        <i className="sw hatch" />
        render
      </span>
      <span title="At the engine, until the first token">
        <i className="sw" style={{ background: "var(--ph-queue)" }} />
        queue
      </span>
      <span title="From the first token until the turn is durable">
        <i className="sw" style={{ background: "var(--ph-think)" }} />
        generate
      </span>
    </span>
  );
}
