"use client";
import type { EmbeddedPlan, LaunchPlan, PreflightItem } from "@liverl/contract/launch";
import { Button } from "@mantine/core";
import { useState } from "react";
import styles from "#launch/launch.module.css";
import type { Change } from "#launch/prepare-changes.ts";
import { preparePreflight } from "#launch/prepare-preflight.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { useNow } from "#ui/use-now.ts";

type Fix = NonNullable<PreflightItem["fix"]>;

/** What the server checked, the worst first; a failed check that can be mended has its button. */
export function PreflightSection({
  items,
  faults,
  isChecking,
  isOutdated,
  checkedAtMs,
  onFix,
}: {
  items: readonly PreflightItem[];
  faults: readonly { path: string; message: string }[];
  isChecking: boolean;
  /** The items are of the newest valid values, not of those in the form. */
  isOutdated: boolean;
  checkedAtMs: number | null;
  onFix: (fix: Fix) => void;
}) {
  const { open, passed, counts } = preparePreflight(items);
  const fails = faults.length + (isOutdated ? 0 : counts.fail);
  return (
    <section aria-label="Preflight" aria-busy={isChecking}>
      <h2>
        Preflight
        <span className="end row g12 f12">
          {isChecking ? (
            <span className="i3">checking</span>
          ) : (
            !isOutdated && <CheckedAgo atMs={checkedAtMs} />
          )}
          {fails > 0 && (
            <StatusWord kind="bad">
              <span className="bad-t">{fails} fail</span>
            </StatusWord>
          )}
          {!isOutdated && counts.warn > 0 && (
            <StatusWord kind="warn">
              <span className="warn-t">{counts.warn} warn</span>
            </StatusWord>
          )}
          {!isOutdated && counts.pass > 0 && (
            <StatusWord kind="ok">
              <span className="ok-t">{counts.pass} pass</span>
            </StatusWord>
          )}
        </span>
      </h2>
      {isChecking &&
        items.length === 0 &&
        faults.length === 0 &&
        [0, 1, 2, 3, 4, 5].map((row) => <SkeletonCheck key={row} />)}
      {faults.map((fault) => (
        <div key={`${fault.path} ${fault.message}`} className={styles.check} data-status="fail">
          <StatusDot kind="bad" />
          <div>
            <b className="m">{fault.path || "document"}</b>
            <p>{fault.message}</p>
          </div>
        </div>
      ))}
      {isOutdated && items.length > 0 && (
        <p className="hint">
          {faults.length === 1 ? "Fix it" : "Fix these"} to check again. Below: the last valid
          values.
        </p>
      )}
      <div className={isOutdated ? styles.outdated : undefined}>
        {open.map((item) => (
          <div key={item.id} className={styles.check} data-status={item.status}>
            <StatusDot kind={item.status === "fail" ? "bad" : "warn"} />
            <div>
              <b>{item.title}</b>
              <p>{item.why}</p>
            </div>
            {item.fix && <FixButton fix={item.fix} onFix={onFix} />}
          </div>
        ))}
        <PassedChecks items={passed} />
      </div>
    </section>
  );
}

/** The first few; a spec of verl passes dozens. */
const PASSED_SHOWN = 8;

function PassedChecks({ items }: { items: readonly PreflightItem[] }) {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll ? items : items.slice(0, PASSED_SHOWN);
  return (
    <>
      {shown.map((item) => (
        <div key={item.id} className={styles.passed}>
          <Icon name="check" size={14} />
          <b>{item.title}</b>
          <span>{item.why}</span>
        </div>
      ))}
      {items.length > PASSED_SHOWN && (
        <button type="button" className={styles.all} onClick={() => setIsAll(!isAll)}>
          {isAll ? "Fewer" : `All ${items.length} that pass`}
        </button>
      )}
    </>
  );
}

function SkeletonCheck() {
  return (
    <div className={styles.passed}>
      <span />
      <Skeleton height={12} width={78} />
      <Skeleton height={12} width={190} />
    </div>
  );
}

function FixButton({ fix, onFix }: { fix: Fix; onFix: (fix: Fix) => void }) {
  return (
    <Button size="xs" h={24} px={8} fz={12} onClick={() => onFix(fix)}>
      {fix.label}
    </Button>
  );
}

function CheckedAgo({ atMs }: { atMs: number | null }) {
  const now = useNow(1000);
  if (atMs === null || now === null) return null;
  return <span className="i3">ran {Math.max(0, Math.round((now - atMs) / 1000))} s ago</span>;
}

export function MemorySection({ plan }: { plan: EmbeddedPlan }) {
  const { engine, trainer } = plan.memoryMb;
  const most = Math.max(engine, trainer, 1);
  return (
    <section aria-label="Memory">
      <h2>
        Memory per process<span className="end i3 f12">estimate</span>
      </h2>
      {(
        [
          ["Trainer", trainer, "var(--c6)"],
          ["Engine", engine, "var(--c1)"],
        ] as const
      ).map(([label, mb, color]) => (
        <div key={label} className={styles.memory}>
          <span>{label}</span>
          <i>
            <i
              style={{
                width: `${(mb / most) * 100}%`,
                background: `color-mix(in srgb, ${color} 55%, var(--surface))`,
              }}
            />
          </i>
          <span className="r">{formatCount(mb)} MB</span>
        </div>
      ))}
    </section>
  );
}

export function ChangesSection({
  changes,
  values,
  base,
}: {
  changes: readonly Change[];
  values: number;
  base: string;
}) {
  return (
    <section aria-label="Changes">
      <h2>
        Changes against {base}
        <span className="end i3 f12">
          {changes.length} of {values} values
        </span>
      </h2>
      {changes.length === 0 ? (
        <p className="hint">No changes except the name.</p>
      ) : (
        <div className={`diff one ${styles.changes}`}>
          {changes.map((change) => (
            <ChangeLines key={change.path} change={change} />
          ))}
        </div>
      )}
    </section>
  );
}

function ChangeLines({ change }: { change: Change }) {
  return (
    <>
      {change.before !== undefined && (
        <div className="l del">
          <i /> <s>-</s>
          <b>
            {change.path}: <mark>{change.before}</mark>
          </b>
        </div>
      )}
      {change.after !== undefined && (
        <div className="l add">
          <i /> <s>+</s>
          <b>
            {change.path}: <mark>{change.after}</mark>
          </b>
        </div>
      )}
    </>
  );
}

export function PlanSection({
  plan,
  facts,
}: {
  plan: LaunchPlan;
  facts: readonly (readonly [string, React.ReactNode])[];
}) {
  return (
    <>
      <section aria-label="Plan">
        <h2>Plan</h2>
        <dl className={styles.facts}>
          {facts.map(([label, value]) => (
            <FactLine key={label} label={label} value={value} />
          ))}
        </dl>
      </section>
      <section aria-label="Processes and files">
        <h2>
          What it starts
          <span className="end i3 f12">
            {plan.processes.length} {plan.processes.length === 1 ? "process" : "processes"},{" "}
            {plan.files.length} files
          </span>
        </h2>
        {plan.processes.map((process) => (
          <Command key={process.name} {...process} />
        ))}
        {plan.files.map((file) => (
          <div key={file} className={`${styles.argv} i3`}>
            {file}
          </div>
        ))}
      </section>
    </>
  );
}

function FactLine({ label, value }: { label: string; value: React.ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** Arguments from which on a command is a page of its own. */
const LONG_COMMAND = 20;
/** Of a long one, what names the program: `python -m module`. */
const PROGRAM = 3;

function Command({ name, argv }: { name: string; argv: readonly string[] }) {
  const isLong = argv.length > LONG_COMMAND;
  const rest = argv.slice(PROGRAM);
  return (
    <div>
      <div className={styles.argv}>
        <b>{name}</b> {(isLong ? argv.slice(0, PROGRAM) : argv).join(" ")}
      </div>
      {isLong && (
        <details className={styles.command}>
          <summary>{rest.length} arguments</summary>
          <CopyButton text={argv.map(quoteForShell).join(" ")} what="the command" />
          <ol>
            {rest.map((argument) => (
              <li key={argument} className={styles.argv}>
                {argument}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

/** An argument as a POSIX shell takes it for one word. */
function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
