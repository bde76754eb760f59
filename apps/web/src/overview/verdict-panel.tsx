"use client";
import {
  type Advisory,
  describeFinding,
  earlierFindings,
  type RunDetail,
  type RunProcess,
} from "@liverl/contract/run";
import { describeUntrained } from "@liverl/contract/untrained-tokens";
import { Anchor } from "@mantine/core";
import { useState } from "react";
import { StartCard, showsStart } from "#overview/start-card.tsx";
import { SOURCE_WORDS } from "#runs/source-words.ts";
import { HEALTH } from "#runs/status-of-run.ts";
import { runHref, settingsHref, stepHref } from "#shell/links.ts";
import { Link } from "#ui/link.tsx";
import { type DotKind, StatusDot } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";

const VERDICT_DOT: Record<RunDetail["verdict"]["word"], DotKind> = {
  Healthy: "ok",
  Degraded: "warn",
  Stalled: "warn",
  Down: "bad",
  Unknown: "off",
};
const SHOWN = 2;

/** The check-in note: a verdict in words and two cells: its evidence or, with nothing amiss, what there is to know. The rest waits behind a word, so that the charts stay in the window. */
export function VerdictPanel({ run }: { run: RunDetail }) {
  const [showsAll, setShowsAll] = useState(false);
  const { verdict } = run;
  const { advisories } = verdict;
  const untrained = describeUntrained(run.untrained);
  const cells = [
    ...advisories.map((advisory) => <Evidence key={advisory.id} run={run} advisory={advisory} />),
    ...(showsStart(run) ? [<StartCard key="start" run={run} />] : []),
    ...(advisories.length < 2 ? [<FourMarks key="marks" run={run} />] : []),
    ...(advisories.length < 1
      ? [<Processes key="processes" processes={run.processes} run={run} />]
      : []),
  ];
  return (
    <section className="panel" aria-label="Verdict">
      <div className="verdict">
        <div>
          <div className="row">
            <h2>
              <StatusDot kind={VERDICT_DOT[verdict.word]} size={10} />
              {verdict.word}
            </h2>
            {cells.length > SHOWN && (
              <Anchor
                component="button"
                fz={12}
                ml="auto"
                onClick={() => setShowsAll(!showsAll)}
                aria-expanded={showsAll}
              >
                {showsAll ? "Show two" : `${cells.length - SHOWN} more`}
              </Anchor>
            )}
          </div>
          <p>
            {verdict.sentence}
            {verdict.steps !== null && (
              <span className="i3">
                {" "}
                Judged on steps {verdict.steps[0]}–{verdict.steps[1]} by{" "}
                <Link className="lnk" href={settingsHref(run.project)}>
                  this project’s thresholds
                </Link>
                .
              </span>
            )}
          </p>
          {untrained !== null && <p className="i2">{untrained}</p>}
        </div>
        <div className="verdict-cells">{showsAll ? cells : cells.slice(0, SHOWN)}</div>
      </div>
      <EarlierFindings run={run} />
    </section>
  );
}

const EARLIER_SHOWN = 2;

/** Signs that were there and are over: they name the steps to look at. */
function EarlierFindings({ run }: { run: RunDetail }) {
  const [showsAll, setShowsAll] = useState(false);
  const earlier = earlierFindings(run.verdict);
  if (earlier.length === 0) return null;
  const rest = earlier.length - EARLIER_SHOWN;
  return (
    <div className="earlier">
      <h3>
        Earlier findings <span className="i3">{earlier.length}</span>
      </h3>
      <ul>
        {(showsAll ? earlier : earlier.slice(0, EARLIER_SHOWN)).map((one) => (
          <li key={`${one.sign} ${one.fromStep}`} title={one.detail}>
            <StatusDot kind={HEALTH[one.level].dot} />
            <Link className="lnk" href={stepHref(run.project, run.id, one.fromStep)}>
              {describeFinding(one)}
            </Link>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <Anchor
          component="button"
          fz={12}
          onClick={() => setShowsAll(!showsAll)}
          aria-expanded={showsAll}
        >
          {showsAll ? `Show ${EARLIER_SHOWN}` : `${rest} more`}
        </Anchor>
      )}
    </div>
  );
}

function Evidence({ run, advisory }: { run: RunDetail; advisory: Advisory }) {
  return (
    <div className="adv">
      <h3>
        {advisory.tier === "advice" ? (
          <span className="i3">Advice</span>
        ) : (
          <StatusDot kind={HEALTH[advisory.level].dot} />
        )}
        {advisory.title}
      </h3>
      <p>{advisory.detail}</p>
      {advisory.links.length > 0 && (
        <div className="ev">
          {advisory.links.map((link) => (
            <Link key={link.href} className="lnk" href={runHref(run.project, run.id, link.href)}>
              {link.label}
            </Link>
          ))}
        </div>
      )}
    </div>
  );
}

function FourMarks({ run }: { run: RunDetail }) {
  const { progress, stability, performance, failures } = run.verdict;
  return (
    <div className="adv">
      <h3>Four questions</h3>
      <dl className="marks">
        {Object.entries({
          Progress: progress,
          Stability: stability,
          Performance: performance,
          Failures: failures,
        }).map(([name, health]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <StatusWord kind={HEALTH[health].dot}>{HEALTH[health].word}</StatusWord>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const PROCESS_DOT: Record<RunProcess["status"], DotKind> = {
  starting: "boot",
  up: "ok",
  down: "bad",
  restarting: "warn",
  exited: "off",
};

function Processes({ processes, run }: { processes: readonly RunProcess[]; run: RunDetail }) {
  if (processes.length === 0) {
    return (
      <div className="adv">
        <h3>Source</h3>
        <p>
          {run.attachedPath === null ? (
            run.source === null ? (
              "No process of this run is alive."
            ) : (
              `Its metrics come ${SOURCE_WORDS[run.source].from}.`
            )
          ) : (
            <>
              Read from <span className="m">{run.attachedPath}</span>
            </>
          )}
        </p>
      </div>
    );
  }
  return (
    <div className="adv">
      <h3>Processes</h3>
      <dl className="marks">
        {processes.map((process) => (
          <div key={process.name}>
            <dt className="m">{process.name}</dt>
            <dd>
              <StatusWord
                kind={PROCESS_DOT[process.status]}
                title={process.pid === null ? undefined : `pid ${process.pid}`}
              >
                {process.status}
                {process.restarts > 0 && (
                  <span className="i3">
                    {" "}
                    · {process.restarts} {process.restarts === 1 ? "restart" : "restarts"}
                  </span>
                )}
              </StatusWord>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
