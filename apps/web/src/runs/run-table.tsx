"use client";
import type { RunSpent } from "@liverl/contract/cost";
import type { RunSortField } from "@liverl/contract/list-runs";
import { isTerminal, type RunSummary } from "@liverl/contract/run";
import { Checkbox } from "@mantine/core";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef } from "react";
import { HOURS_OF } from "#overview/prepare-cost.ts";
import { RunStatusWord, StaleMark } from "#runs/run-status.tsx";
import { SOURCE_WORDS } from "#runs/source-words.ts";
import { HEALTH } from "#runs/status-of-run.ts";
import { runHref } from "#shell/links.ts";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatMoney } from "#ui/format-money.ts";
import { formatNumber, formatPercent } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { Sparkline } from "#ui/sparkline.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { When } from "#ui/when.tsx";

type Head = {
  sort: RunSortField | null;
  label: string;
  isNumber?: boolean;
  title?: string;
  className?: string;
};
const HEADS: readonly Head[] = [
  { sort: "name", label: "Run" },
  { sort: "status", label: "Status" },
  { sort: "step", label: "Step" },
  { sort: "reward", label: "Reward" },
  {
    sort: "heldout",
    label: "Held-out",
    isNumber: true,
    title: "Reward of the last evaluation on held-out tasks",
  },
  { sort: null, label: "Health", title: "Progress, stability, performance, failures" },
  {
    sort: "mfu",
    label: "MFU",
    isNumber: true,
    title: "Model FLOPs utilisation of the trainer",
    className: "hide-lg",
  },
  {
    sort: "idle",
    label: "Trainer idle",
    isNumber: true,
    title: "Share of a step that the trainer waits for rollouts",
    className: "hide-lg",
  },
  { sort: "steptime", label: "Step time", isNumber: true },
  {
    sort: "hours",
    label: "Hours",
    isNumber: true,
    title: "Hours at work times devices: GPU-hours, or CPU-hours of the embedded policy",
    className: "hide-lg",
  },
  { sort: "started", label: "Started", isNumber: true },
];

export function RunTable({
  rows,
  picked,
  marked,
  sort,
  isOld,
  onSort,
  onMark,
  more,
}: {
  rows: readonly RunSummary[];
  picked: string | null;
  /** Ids of those that are marked to be compared. */
  marked: ReadonlySet<string>;
  /** A field, with `-` before it for the largest first. */
  sort: string;
  /** The rows are of the question before, whose successor is asked. */
  isOld: boolean;
  onSort: (field: RunSortField) => void;
  onMark: (id: string) => void;
  /** Below the last row: how to get the next ones. */
  more: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  useScrollMemory(scroller, "runs");
  return (
    <div
      ref={scroller}
      className="runs-wrap scroll"
      aria-busy={isOld}
      style={isOld ? { opacity: 0.6 } : undefined}
    >
      <table className="t runs-table">
        <thead>
          <tr>
            <th scope="col" className="run-mark" aria-label="Compare" />
            {HEADS.map((head) => (
              <HeadCell
                key={head.label}
                head={head}
                order={
                  sort === head.sort
                    ? "ascending"
                    : sort === `-${head.sort}`
                      ? "descending"
                      : undefined
                }
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((run) => (
            <Row
              key={run.id}
              run={run}
              isPicked={run.id === picked}
              isMarked={marked.has(run.id)}
              onMark={onMark}
            />
          ))}
        </tbody>
      </table>
      {more !== null && <div className="runs-more">{more}</div>}
    </div>
  );
}

function HeadCell({
  head,
  order,
  onSort,
}: {
  head: Head;
  order: "ascending" | "descending" | undefined;
  onSort: (field: RunSortField) => void;
}) {
  const { sort } = head;
  const className = [head.isNumber ? "num" : "", order ? "sort" : "", head.className ?? ""].join(
    " ",
  );
  return (
    <th scope="col" className={className} title={head.title} aria-sort={order}>
      {sort === null ? (
        head.label
      ) : (
        <button type="button" className="th-button" onClick={() => onSort(sort)}>
          {head.label}
          {order && (order === "descending" ? " ↓" : " ↑")}
        </button>
      )}
    </th>
  );
}

function Row({
  run,
  isPicked,
  isMarked,
  onMark,
}: {
  run: RunSummary;
  isPicked: boolean;
  isMarked: boolean;
  onMark: (id: string) => void;
}) {
  const router = useRouter();
  const row = useRef<HTMLTableRowElement>(null);
  const href = runHref(run.project, run.id);
  useEffect(() => {
    if (isPicked) row.current?.scrollIntoView({ block: "nearest" });
  }, [isPicked]);
  const isOver = isTerminal(run.status);
  return (
    // The link in the first cell is what keyboard and screen reader use; the row only widens its target.
    <tr
      ref={row}
      className={`link-row ${isPicked ? "sel" : ""}`}
      onClick={({ target }) =>
        target instanceof Element && target.closest("a, .run-mark") === null && router.push(href)
      }
    >
      <td className="run-mark">
        <Checkbox
          size="xs"
          checked={isMarked}
          aria-label={`Compare ${run.name}`}
          onChange={() => onMark(run.id)}
        />
      </td>
      <td>
        <div className="run-name">
          <span className="sw" style={{ background: `var(--c${run.color})` }} />
          <Link href={href}>{run.name}</Link>
          {run.id !== run.name && <span className="m i3 hide-lg">{run.id}</span>}
          {run.source !== null && <span className="tag">{SOURCE_WORDS[run.source].short}</span>}
          {run.tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
        {run.status === "failed" && run.statusReason !== null && (
          <div className="run-why" title={run.statusReason}>
            {run.statusReason}
          </div>
        )}
      </td>
      <td>
        <RunStatusWord status={run.status} reason={run.statusReason} />
        {run.status === "running" && <StaleMark run={run} />}
      </td>
      <td>
        <span className="row">
          {run.plannedSteps !== null && (
            <Meter
              share={run.step / Math.max(1, run.plannedSteps)}
              width={44}
              color={
                run.status === "failed" ? "var(--bad-mark)" : isOver ? "var(--ink-4)" : undefined
              }
            />
          )}
          <span>
            {run.step}
            {run.plannedSteps !== null && <span className="i3"> / {run.plannedSteps}</span>}
          </span>
        </span>
      </td>
      <td>{run.reward.last === null ? <Missing /> : <Reward run={run} />}</td>
      <td className="num">
        {run.heldOutReward === null ? <Missing /> : formatNumber(run.heldOutReward)}
      </td>
      <td>
        <Marks run={run} />
      </td>
      <td className="num hide-lg">{run.mfu === null ? <Missing /> : formatPercent(run.mfu)}</td>
      <td className="num hide-lg">
        {run.idleRatio === null ? <Missing /> : formatPercent(run.idleRatio, 0)}
      </td>
      <td className="num">
        {run.stepTimeS === null ? <Missing /> : formatDuration(run.stepTimeS)}
      </td>
      <td className="num hide-lg">{run.spent === null ? <Missing /> : <Hours {...run.spent} />}</td>
      <td className="num i2">
        <When at={run.startedAt ?? run.createdAt} />
      </td>
    </tr>
  );
}

function Hours({ device, devices, deviceHours, money }: RunSpent) {
  const price = money === null ? "" : `, ${formatMoney(money)}`;
  return (
    <span title={`${HOURS_OF[device].unit} on ${devices}${price}`}>
      {formatNumber(deviceHours)} <span className="i3">{device.toUpperCase()}·h</span>
    </span>
  );
}

function Missing(): ReactNode {
  return <span className="i3">—</span>;
}

function Reward({ run }: { run: RunSummary }) {
  return (
    <span className="row">
      <Sparkline values={run.reward.values} color={`var(--c${run.color})`} />
      <b className="med">{formatNumber(run.reward.last)}</b>
    </span>
  );
}

function Marks({ run }: { run: RunSummary }) {
  const { progress, stability, performance, failures } = run.health;
  const marks = {
    Progress: progress,
    Stability: stability,
    Performance: performance,
    Failures: failures,
  };
  if (Object.values(marks).every((health) => health === "unknown")) return <Missing />;
  return (
    <span className="health-marks">
      {Object.entries(marks).map(([name, health]) => (
        <StatusDot key={name} kind={HEALTH[health].dot} title={`${name}: ${HEALTH[health].word}`} />
      ))}
    </span>
  );
}
