import { isTerminal, type RunDetail } from "@liverl/contract/run";
import { commonEnd, defaultFinalsAt, type FinalsAt, finalKeys } from "@liverl/contract/run-finals";
import { ActionIcon } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import styles from "#compare/compare.module.css";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { finalColumns, prepareFinals } from "#compare/prepare-finals.ts";
import { RunStatusWord } from "#runs/run-status.tsx";
import { runHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";

const KINDS = ["last", "step", "time", "best"] as const;
/** Every step of all but very long runs; of those every second or fourth. */
const BUCKETS = 4_000;

/** What the numbers at a step are read from. */
function useFinalSeries(runs: readonly RunDetail[]) {
  const trpc = useTRPC();
  const keys = useQueries({
    queries: runs.map(({ id }) => trpc.metric.keys.queryOptions({ runId: id })),
  });
  const wanted = keys.map(({ data }) => finalKeys(data?.keys.map(({ key }) => key) ?? []));
  const series = useQueries({
    queries: runs.map(({ id, status }, place) =>
      trpc.metric.series.queryOptions(
        { runId: id, keys: wanted[place] ?? [], buckets: BUCKETS },
        {
          enabled: (wanted[place]?.length ?? 0) > 0,
          refetchInterval: isTerminal(status) ? false : 15_000,
        },
      ),
    ),
  });
  const measured = runs.map((run, place) => ({ run, series: series[place]?.data?.series ?? [] }));
  const isPending =
    keys.some((query) => query.isPending) ||
    series.some((query, place) => query.isPending && (wanted[place]?.length ?? 0) > 0);
  return {
    measured,
    isPending,
    common: isPending ? null : commonEnd(measured.map((one) => one.series)),
  };
}

/** Where runs are compared: `at=` in the address, else by their lengths. */
function useFinalsAt(
  runs: readonly RunDetail[],
  common: { step: number; seconds: number } | null,
): { at: FinalsAt; kind: FinalsAt["kind"]; setKind: (kind: FinalsAt["kind"]) => void } {
  const [wanted, setWanted] = useQueryState("at", parseAsStringLiteral(KINDS));
  const usual = defaultFinalsAt(runs, common);
  const kind = wanted ?? usual.kind;
  const at: FinalsAt =
    kind === "best" || common === null
      ? { kind: kind === "best" ? "best" : "last" }
      : kind === "step"
        ? { kind, step: common.step }
        : kind === "time"
          ? { kind, seconds: common.seconds }
          : { kind: "last" };
  return { at, kind: at.kind, setKind: (next) => void setWanted(next) };
}

function describeAt(at: FinalsAt): string {
  switch (at.kind) {
    case "last":
      return "each run at its own last step";
    case "best":
      return "each run at its best step";
    case "step":
      return `at step ${at.step}, the last that all have reached`;
    case "time":
      return `${formatDuration(at.seconds)} after each run's first point`;
  }
}

/** Where each run stands, a line each, against one of them. */
export function RunsCompared({
  runs,
  compared,
  onRemove,
}: {
  runs: readonly RunDetail[];
  compared: readonly ComparedRun[];
  onRemove: (id: string) => void;
}) {
  const [wanted, setWanted] = useQueryState("base", parseAsString);
  const baseline = runs.find(({ id }) => id === wanted) ?? runs[0];
  const { measured, common, isPending } = useFinalSeries(runs);
  const { at, kind, setKind } = useFinalsAt(runs, common);
  const columns = finalColumns(measured, at);
  const base = measured.find(({ run }) => run === baseline);
  if (baseline === undefined || base === undefined) return null;
  return (
    <Panel
      title="Finals"
      note={`${describeAt(at)} · differences are from the baseline`}
      right={
        <Seg
          label="Finals at"
          value={kind}
          options={[
            { value: "last", label: "Last", title: "Each run at its own last step" },
            {
              value: "step",
              label: common === null ? "Common step" : `Step ${common.step}`,
              title: "The last step that all of them have reached",
            },
            {
              value: "time",
              label: common === null ? "Common time" : formatDuration(common.seconds),
              title: "The time since its first point that all of them have reached",
            },
            { value: "best", label: "Best", title: "The highest reward of each run" },
          ]}
          onChange={setKind}
        />
      }
    >
      <div className={`${styles.scroll} scroll`}>
        <table className={`t ${styles.finals}`} aria-label="Finals">
          <thead>
            <tr>
              <th scope="col">Baseline</th>
              <th scope="col">Run</th>
              <th scope="col">Status</th>
              <th scope="col" className="num">
                Step
              </th>
              {columns.map(({ label, title }) => (
                <th key={label} scope="col" className="num" title={title}>
                  {label}
                </th>
              ))}
              <th scope="col" aria-label="Leave out" />
            </tr>
          </thead>
          <tbody>
            {measured.map(({ run, series }, place) => (
              <tr key={run.id}>
                <td className={styles.base}>
                  <input
                    type="radio"
                    name="baseline"
                    aria-label={`${run.name} is the baseline`}
                    checked={run.id === baseline.id}
                    onChange={() => void setWanted(run.id === runs[0]?.id ? null : run.id)}
                  />
                </td>
                <td>
                  <div className="run-name">
                    <span className="sw" style={{ background: `var(${compared[place]?.color})` }} />
                    <Link href={runHref(run.project, run.id)}>{run.name}</Link>
                    {run.id !== run.name && <span className="m i3">{run.id}</span>}
                  </div>
                </td>
                <td>
                  <RunStatusWord status={run.status} reason={run.statusReason} />
                </td>
                <td className="num">{run.step}</td>
                {prepareFinals({ run, series }, base, at)
                  .filter(({ label }) => columns.some((column) => column.label === label))
                  .map(({ label, title, text, place: step, change }) => (
                    <td key={label} className="num" title={title}>
                      {isPending ? "…" : text}
                      {(step !== null || change !== null) && (
                        <small className="i3">
                          {[step, change].filter((part) => part !== null).join(" · ")}
                        </small>
                      )}
                    </td>
                  ))}
                <td className="num">
                  <ActionIcon
                    size={22}
                    variant="subtle"
                    aria-label={`Leave ${run.name} out`}
                    onClick={() => onRemove(run.id)}
                  >
                    <Icon name="x" size={12} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
