"use client";
import type { RunDetail } from "@liverl/contract/run";
import { runHref } from "#shell/links.ts";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";

const TITLE = { high: "Cause", medium: "Probable cause", low: "Possible cause" } as const;

/** Why a run failed: the cause, the remedy, and the lines of the log that show it. */
export function DiagnosisPanel({ run }: { run: RunDetail }) {
  const { diagnosis } = run;
  if (diagnosis === null) return null;
  const isKnown = diagnosis.id !== null;
  return (
    <section className="panel" aria-label="Cause of the failure">
      <div className="adv">
        <h3>
          {isKnown
            ? `${TITLE[diagnosis.confidence]}: ${diagnosis.cause}`
            : "Unknown cause; last error in the log:"}
        </h3>
        {diagnosis.fix !== null && <p>{diagnosis.fix}</p>}
        {diagnosis.evidence.map(({ offset, line, text }) => (
          <p key={offset} className="mono f12" style={{ overflowWrap: "anywhere" }}>
            <Link
              className="lnk nowrap"
              href={runHref(run.project, run.id, `logs?src=${diagnosis.source}&o=${offset}`)}
            >
              log line {formatCount(line)}
            </Link>{" "}
            {text}
          </p>
        ))}
      </div>
    </section>
  );
}
