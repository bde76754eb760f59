"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import { memo } from "react";
import { toolIcon } from "#trajectories/prepare-outline.ts";
import { roleName } from "#trajectories/role-name.ts";
import type { Look } from "#trajectories/token-run.tsx";
import styles from "#trajectories/trajectories.module.css";
import { TurnBody } from "#trajectories/turn-body.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon, type IconName } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";

/** One message of the conversation. The bar at its left says whether this segment trains it. */
export const TurnBlock = memo(function TurnBlock({
  of,
  turn,
  look,
  focus,
  isOn,
  callName,
  logHref,
  onToken,
  onAgain,
}: {
  of: OfSegment;
  turn: TurnOutline;
  look: Look;
  focus: number | null;
  isOn: boolean;
  /** For a tool's answer: the tool that was called. */
  callName: string | null;
  logHref: string | null;
  onToken: (nodeId: number, index: number) => void;
  /** Samples a turn again, by its number; null where the rollout is of no run, and replays are kept with one. */
  onAgain: ((turn: number) => void) | null;
}) {
  const isTrained = turn.kind === "sampled" && turn.trained;
  return (
    <article
      className={styles.turn}
      data-node={turn.nodeId}
      data-mask={isTrained ? 1 : 0}
      data-on={isOn || undefined}
      aria-label={headOf(turn, callName).name}
    >
      <span className={styles.mark} />
      <div>
        <TurnHead turn={turn} callName={callName} logHref={logHref} onAgain={onAgain} />
        <TurnBody of={of} turn={turn} look={look} focus={focus} onToken={onToken} />
      </div>
    </article>
  );
});

function TurnHead({
  turn,
  callName,
  logHref,
  onAgain,
}: {
  turn: TurnOutline;
  callName: string | null;
  logHref: string | null;
  onAgain: ((turn: number) => void) | null;
}) {
  const { name, icon } = headOf(turn, callName);
  const seconds = secondsBetween(turn.startedAt, turn.endedAt);
  const firstS = secondsBetween(turn.startedAt, turn.firstTokenAt);
  const count = formatCount(turn.tokens);
  return (
    <div className={styles.turnHead}>
      {icon && <Icon name={icon} size={13} />}
      <b>{name}</b>
      <span title={firstS === null ? undefined : `First token after ${formatDuration(firstS)}`}>
        {turn.turn !== null && `turn ${turn.turn} · `}
        {turn.kind === "sampled" ? `${count} sampled` : `${count} given`}
        {seconds !== null && ` · ${formatDuration(seconds)}`}
        {turn.stopReason !== null &&
          turn.stopReason !== "stop" &&
          turn.stopReason !== "tool_calls" &&
          ` · ended by ${turn.stopReason}`}
      </span>
      {turn.kind === "sampled" && !turn.trained && <span className="tag">not trained</span>}
      {turn.lossy && (
        <span className="tag" title={lossyTitle(turn.lossy, turn.tokens)}>
          from the client's text
        </span>
      )}
      <span className="end row g4">
        {onAgain && turn.turn !== null && (
          <button
            type="button"
            className="lnk f11"
            aria-label={`Sample turn ${turn.turn} again`}
            onClick={() => turn.turn !== null && onAgain(turn.turn)}
          >
            Sample again…
          </button>
        )}
        {onAgain === null && turn.turn !== null && (
          <span className="i3 f11" title="Replays are kept with a run">
            of no run: can not be sampled again
          </span>
        )}
        {versionTags(turn)}
        {logHref && (
          <Link className="lnk f11" href={logHref} prefetch={false}>
            log
          </Link>
        )}
      </span>
    </div>
  );
}

function secondsBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : (Date.parse(to) - Date.parse(from)) / 1_000;
}

/** What of a given node the client wrote in the model's place. */
function lossyTitle(lossy: NonNullable<TurnOutline["lossy"]>, tokens: number): string {
  return `${formatCount(lossy.tokens)} of ${formatCount(tokens)} tokens stand in the model's place, ${
    lossy.trained > 0
      ? `${formatCount(lossy.trained)} of them trained by recomputed log-probs`
      : "mask 0"
  }`;
}

function versionTags(turn: TurnOutline) {
  const known = turn.versions.flatMap(([version]) => version ?? []);
  return [...new Set(known)].map((version, at) => (
    <span key={version} className="row g4">
      {at > 0 && "→"}
      <span className="tag m">v{version}</span>
    </span>
  ));
}

function headOf(
  turn: TurnOutline,
  callName: string | null,
): { name: string; icon: IconName | null } {
  if (turn.kind === "sampled") return { name: "Assistant", icon: null };
  if (turn.role === "tool")
    return {
      name: callName === null ? "Tool" : `${callName} answered`,
      icon: toolIcon(callName ?? ""),
    };
  if (turn.role === "system") return { name: "System", icon: "file" };
  const names = (turn.roles.length > 1 ? turn.roles : [turn.role]).map(roleName);
  return { name: names.join(", "), icon: "user" };
}
