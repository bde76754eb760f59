"use client";
import type { RunDetail } from "@liverl/contract/run";
import { ConfigPanel } from "#run-config/config-panel.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { SOURCE_WORDS } from "#runs/source-words.ts";
import { useRun } from "#runs/use-run.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { formatExact } from "#ui/format-time.ts";
import { Panel } from "#ui/panel.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** What the run was asked to be, and the processes that do it. */
export function RunConfigPage() {
  const { runId } = useRunRoute();
  const run = useRun(runId).data ?? null;
  return (
    <RunFrame tab="config">
      <div className="page config-page">
        {run === null ? <Skeleton height={320} radius={7} /> : <Spec run={run} />}
        {run !== null && (
          <div className="col" style={{ gap: 12 }}>
            <Facts run={run} />
            {run.processes.length > 0 && <Processes run={run} />}
          </div>
        )}
      </div>
    </RunFrame>
  );
}

function Spec({ run }: { run: RunDetail }) {
  const yaml = run.specYaml ?? run.configYaml;
  if (yaml === null) {
    return (
      <Panel title="Configuration">
        <p className="pb i2">
          This run was attached. Its metrics come{" "}
          {run.source === null ? "from elsewhere" : SOURCE_WORDS[run.source].from}, which never told
          LiveRL its configuration.
        </p>
      </Panel>
    );
  }
  return <ConfigPanel run={run} yaml={yaml} />;
}

function Facts({ run }: { run: RunDetail }) {
  const facts: [string, string | null][] = [
    ["Id", run.id],
    ["Project", run.project],
    ["Driver", run.driver],
    ["Source", run.source === null ? null : SOURCE_WORDS[run.source].short],
    ["Algorithm", run.algorithm],
    ["Created", formatExact(run.createdAt)],
    ["Started", run.startedAt === null ? null : formatExact(run.startedAt)],
    ["Ended", run.endedAt === null ? null : formatExact(run.endedAt)],
    ["Why", run.statusReason],
    ["Reads", run.attachedPath],
  ];
  return (
    <Panel title="Run">
      <dl className="facts-list">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd className={name === "Id" || name === "Reads" ? "m" : ""}>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Panel>
  );
}

function Processes({ run }: { run: RunDetail }) {
  return (
    <Panel title="Processes">
      <table className="t compact">
        <thead>
          <tr>
            <th>Name</th>
            <th>Status</th>
            <th className="num">pid</th>
            <th className="num">Restarts</th>
          </tr>
        </thead>
        <tbody>
          {run.processes.map((process) => (
            <tr key={process.name}>
              <td className="m">{process.name}</td>
              <td>
                <StatusWord
                  kind={
                    process.status === "up"
                      ? "ok"
                      : process.status === "exited"
                        ? "off"
                        : process.status === "down"
                          ? "bad"
                          : "warn"
                  }
                >
                  {process.status}
                </StatusWord>
              </td>
              <td className="num m">{process.pid ?? "—"}</td>
              <td className="num">{process.restarts}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
