import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import {
  type SandboxRow,
  type SandboxSort,
  STATES,
  shareOfLimit,
} from "#sandboxes/prepare-sandboxes.ts";
import styles from "#sandboxes/sandboxes.module.css";
import { runHref, trajectoryHref } from "#shell/links.ts";
import { formatAge } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { useNow } from "#ui/use-now.ts";

const ROW = 44;
/** Of its limit: whoever looks should look at this one. */
const LATE = 0.8;
const HEADS: readonly { sort: SandboxSort; label: string; className?: string }[] = [
  { sort: "task", label: "Trial" },
  { sort: "state", label: "State" },
  { sort: "age", label: "Since" },
  { sort: "deadline", label: "Of its limit" },
  { sort: "run", label: "Run", className: "wide" },
  { sort: "place", label: "Image and node", className: "wide" },
];

/** Only the rows in view are mounted. */
export function SandboxTable({
  rows,
  picked,
  sort,
  isDescending,
  onSort,
}: {
  rows: readonly SandboxRow[];
  picked: string | null;
  sort: SandboxSort;
  isDescending: boolean;
  onSort: (sort: SandboxSort) => void;
}) {
  const now = useNow(1_000);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const { scrollToIndex } = virtual;
  const hasJoined = rows.some(({ runner }) => runner !== null);
  const at = rows.findIndex(({ rolloutId }) => rolloutId === picked);
  useEffect(() => {
    if (at >= 0) scrollToIndex(at);
  }, [at, scrollToIndex]);
  return (
    <>
      <div className={`${styles.row} ${styles.head}`}>
        {HEADS.map((head) => (
          <button
            key={head.sort}
            type="button"
            className={head.className ? styles[head.className] : undefined}
            aria-pressed={head.sort === sort}
            aria-label={`Sort by ${head.label.toLowerCase()}`}
            onClick={() => onSort(head.sort)}
          >
            {head.label}
            {head.sort === sort && (isDescending ? " ↓" : " ↑")}
          </button>
        ))}
        <span />
      </div>
      <div ref={scroller} className={`${styles.list} scroll`} role="list" aria-label="Sandboxes">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((place) => {
            const row = rows[place.index];
            return (
              row && (
                <div
                  key={row.rolloutId}
                  role="listitem"
                  className={`${styles.row} ${styles.trial} ${row.rolloutId === picked ? styles.picked : ""}`}
                  style={{ height: ROW, transform: `translateY(${place.start}px)` }}
                >
                  <Cells row={row} now={now} hasJoined={hasJoined} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

function Cells({
  row,
  now,
  hasJoined,
}: {
  row: SandboxRow;
  now: number | null;
  /** Other runners have trials, too: each row says whose it is. */
  hasJoined: boolean;
}) {
  const { run, taskName, agent, attempt, step, sandbox, image } = row;
  const href = run && trajectoryHref(run.project, run.id, row.rolloutId);
  const second = [
    agent,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(step === null ? [] : [`step ${step}`]),
  ].join(" · ");
  return (
    <>
      <span className={styles.two}>
        {href ? (
          <Link href={href} className="acc-t trunc">
            {taskName}
          </Link>
        ) : (
          <span className="trunc">{taskName}</span>
        )}
        <span className="i3 trunc" title={row.rolloutId}>
          {second}
        </span>
      </span>
      <span className="nowrap">
        <i className="sw" style={{ background: STATES[row.state].color }} />{" "}
        {STATES[row.state].label}
      </span>
      <span className="nowrap" title={row.since}>
        {now === null ? "" : formatAge((now - Date.parse(row.since)) / 1_000)}
      </span>
      <Limit row={row} now={now} />
      <span className={`${styles.two} ${styles.wide}`}>
        {run ? (
          <Link href={runHref(run.project, run.id)} className="trunc">
            {run.name}
          </Link>
        ) : (
          <span className="trunc">{row.runId}</span>
        )}
        <span className="i3 nowrap">{limits(row)}</span>
      </span>
      <span className={`${styles.two} ${styles.wide}`}>
        <span className="m trunc" title={image ?? undefined}>
          {image ?? "—"}
        </span>
        <span className="m i3 trunc" title={sandbox ?? undefined}>
          {whereOf(row, hasJoined)}
        </span>
      </span>
      <span className={styles.acts}>
        {row.shells > 0 && (
          <span className="tag" title="Shells of operators that are open in it">
            {row.shells} {row.shells === 1 ? "shell" : "shells"}
          </span>
        )}
        {href && (
          <Link
            href={`${href}?tab=terminal`}
            className={styles.act}
            aria-label={`Terminal of ${taskName}`}
            title="Terminal"
          >
            <Icon name="term" size={14} />
          </Link>
        )}
      </span>
    </>
  );
}

/** Where it runs. A joined runner may be named like this host, so that beside others each row says whose it is. */
function whereOf({ runner, place, sandbox }: SandboxRow, hasJoined: boolean): string {
  const whose = runner === null ? hasJoined && "this host" : `runner ${runner}`;
  return [whose, place, sandbox ?? "no sandbox yet"].filter(Boolean).join(" · ");
}

function Limit({ row, now }: { row: SandboxRow; now: number | null }) {
  const share = now === null ? null : shareOfLimit(row, now);
  if (now === null) return <span />;
  if (share === null || row.deadlineAt === null) return <NoDeadline step={row.step} />;
  const left = (Date.parse(row.deadlineAt) - now) / 1_000;
  const isLate = share > LATE;
  return (
    <span className="row nowrap" title={`Until ${row.deadlineAt}`}>
      <Meter share={share} width={44} color={isLate ? "var(--warn)" : undefined} />
      <span className={isLate ? "warn-t" : "i2"}>
        {left > 0 ? `${formatAge(left)} left` : "over"}
      </span>
    </span>
  );
}

/** A step's agent has its own limit, which begins after its set-up: when it ends is not told. */
function NoDeadline({ step }: { step: string | null }) {
  if (step === null) return <span className="i3">no limit</span>;
  return (
    <span className="i3" title={`timeout_sec of step ${step}; when it ends is not told`}>
      limit of its step
    </span>
  );
}

function limits({ cpus, memoryMb }: SandboxRow): string {
  if (cpus === null || memoryMb === null) return "";
  return `${cpus} ${cpus === 1 ? "core" : "cores"}, ${(memoryMb / 1024).toFixed(memoryMb % 1024 === 0 ? 0 : 1)} GiB`;
}
