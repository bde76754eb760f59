"use client";
import type { StepView } from "@liverl/contract/views";
import { ActionIcon } from "@mantine/core";
import { useEffect, useState } from "react";
import { prepareNotice } from "#steps/prepare-notice.ts";
import styles from "#steps/steps.module.css";
import { formatVersions } from "#trajectories/prepare-facts.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatClock } from "#ui/format-time.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Seg } from "#ui/seg.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

/** Which step this is, the way to its neighbours, and what to know before reading on. */
export function StepHead({
  view,
  mode,
  neighbours,
  onStep,
  onMode,
  logHref,
  verdictHref,
}: {
  view: StepView;
  mode: "train" | "eval";
  neighbours: { previous: number | null; next: number | null };
  onStep: (step: number) => void;
  onMode: (mode: "train" | "eval") => void;
  logHref: (at: string) => string;
  verdictHref: (rolloutId: string) => string;
}) {
  const notice = prepareNotice(view);
  const seconds =
    view.startedAt && view.endedAt
      ? (Date.parse(view.endedAt) - Date.parse(view.startedAt)) / 1000
      : null;
  return (
    <div className={styles.head}>
      <Neighbour label="Previous step" icon="chevl" step={neighbours.previous} onStep={onStep} />
      <StepNumber step={view.step} onStep={onStep} />
      <Neighbour label="Next step" icon="chev" step={neighbours.next} onStep={onStep} />
      <span className="i3">of {view.lastStep}</span>
      <span className="f12 i2 hide-md" style={{ marginLeft: 6 }}>
        {formatClock(view.startedAt)}
        {view.endedAt && `–${formatClock(view.endedAt)}`}
        {view.versionSpan && (
          <>
            {" "}
            · weights <span className="m">{formatVersions(view.versionSpan)}</span>
          </>
        )}
        {seconds !== null && ` · rollouts ${formatDuration(seconds)}`}
      </span>
      <Seg
        label="Mode"
        value={mode}
        options={[
          { value: "train", label: "Train" },
          { value: "eval", label: "Evaluation" },
        ]}
        onChange={onMode}
      />
      <div className="grow" />
      {notice && (
        <span className={`note ${notice.level} trunc`} role="status">
          <StatusDot kind={notice.level === "warn" ? "warn" : "run"} />
          <span className="trunc">{notice.text}</span>
          {notice.at && (
            <Link className="lnk" href={logHref(notice.at)}>
              Log at {formatClock(notice.at)}
            </Link>
          )}
          {notice.rolloutId !== null && (
            <Link className="lnk" href={verdictHref(notice.rolloutId)}>
              Both verdicts
            </Link>
          )}
        </span>
      )}
    </div>
  );
}

function Neighbour({
  label,
  icon,
  step,
  onStep,
}: {
  label: string;
  icon: "chev" | "chevl";
  step: number | null;
  onStep: (step: number) => void;
}) {
  return (
    <ActionIcon
      variant="default"
      aria-label={label}
      title={step === null ? `No ${label.toLowerCase()}` : `Step ${step}`}
      disabled={step === null}
      onClick={() => step !== null && onStep(step)}
    >
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}

function StepNumber({ step, onStep }: { step: number; onStep: (step: number) => void }) {
  const [text, setText] = useState(String(step));
  useEffect(() => setText(String(step)), [step]);
  return (
    <input
      className={styles.number}
      aria-label="Step"
      inputMode="numeric"
      value={text}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => setText(String(step))}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
        if (event.key === "Enter" && /^\d+$/.test(text.trim())) onStep(Number(text));
      }}
    />
  );
}
