"use client";
import type { TurnView } from "@liverl/contract/views";
import { memo, useMemo } from "react";
import { countRecomputed } from "#trajectories/find-lossy.ts";
import { splitByMatch } from "#trajectories/find-text.ts";
import { prepareHits } from "#trajectories/prepare-hits.ts";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { looksFailed, toolIcon } from "#trajectories/prepare-outline.ts";
import { prepareParts } from "#trajectories/prepare-parts.ts";
import { TokenRun } from "#trajectories/token-run.tsx";
import { ToolCard } from "#trajectories/tool-card.tsx";
import styles from "#trajectories/trajectories.module.css";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon, type IconName } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";

export const turnDomId = (nodeId: number) => `node-${nodeId}`;

/** One message of the conversation. The bar at its left says whether this segment trains it. */
export const TurnBlock = memo(function TurnBlock({
  turn,
  lens,
  chosen,
  query,
  exact,
  isOn,
  callName,
  logHref,
  onToken,
}: {
  turn: TurnView;
  lens: Lens;
  chosen: number | null;
  query: string;
  exact: boolean;
  isOn: boolean;
  /** For a tool's answer: the tool that was called. */
  callName: string | null;
  logHref: string | null;
  onToken: (nodeId: number, index: number) => void;
}) {
  const isTrained = turn.kind === "sampled" && turn.trained;
  const choose = (event: React.MouseEvent) => {
    const index = event.target instanceof HTMLElement ? event.target.dataset.index : undefined;
    if (index !== undefined) onToken(turn.nodeId, Number(index));
  };
  return (
    <article
      id={turnDomId(turn.nodeId)}
      className={styles.turn}
      data-mask={isTrained ? 1 : 0}
      data-on={isOn || undefined}
      aria-label={headOf(turn, callName).name}
    >
      <span className={styles.mark} />
      {/* Tokens are chosen by click here and by arrow keys on the page; the Tokens view lists them as buttons. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: see above */}
      <div onClick={choose}>
        <TurnHead turn={turn} callName={callName} logHref={logHref} />
        {turn.kind === "sampled" ? (
          <SampledBody turn={turn} lens={lens} chosen={chosen} query={query} exact={exact} />
        ) : (
          <GivenBody turn={turn} lens={lens} chosen={chosen} query={query} exact={exact} />
        )}
      </div>
    </article>
  );
});

function SampledBody({
  turn,
  lens,
  chosen,
  query,
  exact,
}: {
  turn: TurnView;
  lens: Lens;
  chosen: number | null;
  query: string;
  exact: boolean;
}) {
  const parts = useMemo(() => prepareParts(turn), [turn]);
  const hits = useMemo(() => prepareHits(turn.tokens.text, query), [turn, query]);
  const shown = parts.filter((part) => part.kind !== "control" || exact || lens !== "none");
  if (shown.length === 0)
    return (
      <p className={styles.text}>
        {turn.text || <span className="i3">nothing but the end of the turn</span>}
      </p>
    );
  return (
    <>
      {shown.map((part) =>
        part.kind === "call" ? (
          <ToolCard
            key={`${part.from} ${part.call?.id}`}
            turn={turn}
            part={part}
            lens={lens}
            chosen={chosen}
            hits={hits}
          />
        ) : (
          <p key={part.from} className={styles.text}>
            <TokenRun
              turn={turn}
              from={part.from}
              to={part.to}
              lens={lens}
              chosen={chosen}
              hits={hits}
              isControl={part.kind === "control"}
            />
          </p>
        ),
      )}
    </>
  );
}

function GivenBody({
  turn,
  lens,
  chosen,
  query,
  exact,
}: {
  turn: TurnView;
  lens: Lens;
  chosen: number | null;
  query: string;
  exact: boolean;
}) {
  const hits = useMemo(() => prepareHits(turn.tokens.text, query), [turn, query]);
  if (exact || lens === "mask") {
    return (
      <div className={styles.block}>
        <TokenRun
          turn={turn}
          from={0}
          to={turn.tokens.ids.length}
          lens={lens}
          chosen={chosen}
          hits={hits}
        />
      </div>
    );
  }
  const isBlock = turn.role === "tool" || turn.text.includes("\n");
  const pieces = splitByMatch(turn.text, query);
  const body = pieces.map((piece, at) => {
    // Pieces of one text have no identity but their place.
    const key = `${at}`;
    return piece.isMatch ? (
      <mark key={key} className={styles.hit}>
        {piece.text}
      </mark>
    ) : (
      <span key={key}>{piece.text}</span>
    );
  });
  if (!isBlock) return <p className={styles.text}>{body}</p>;
  return (
    <div className={styles.block}>
      <span
        className={
          looksFailed(turn.text) && turn.role === "tool"
            ? "fail"
            : /^PASS\b/.test(turn.text)
              ? "pass"
              : undefined
        }
      >
        {body}
      </span>
    </div>
  );
}

function TurnHead({
  turn,
  callName,
  logHref,
}: {
  turn: TurnView;
  callName: string | null;
  logHref: string | null;
}) {
  const { name, icon } = headOf(turn, callName);
  const seconds =
    turn.startedAt && turn.endedAt
      ? (Date.parse(turn.endedAt) - Date.parse(turn.startedAt)) / 1000
      : null;
  const firstS =
    turn.startedAt && turn.firstTokenAt
      ? (Date.parse(turn.firstTokenAt) - Date.parse(turn.startedAt)) / 1000
      : null;
  const count = formatCount(turn.tokens.ids.length);
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
        <span className="tag" title={lossyTitle(turn)}>
          from the client's text
        </span>
      )}
      <span className="end row g4">
        {versionTags(turn)}
        {logHref && (
          <Link className="lnk f11" href={logHref}>
            log
          </Link>
        )}
      </span>
    </div>
  );
}

/** What of a given node the client wrote in the model's place. */
function lossyTitle({ lossy = [], tokens }: TurnView): string {
  const count = lossy.reduce((sum, { from, to }) => sum + to - from, 0);
  const trained = countRecomputed({ lossy });
  return `${formatCount(count)} of ${formatCount(tokens.ids.length)} tokens stand in the model's place, ${
    trained > 0 ? `${formatCount(trained)} of them trained by recomputed log-probs` : "mask 0"
  }`;
}

function versionTags(turn: TurnView) {
  const versions = [...new Set((turn.tokens.versions ?? []).filter((version) => version !== null))];
  return versions.map((version, at) => (
    <span key={version} className="row g4">
      {at > 0 && "→"}
      <span className="tag m">v{version}</span>
    </span>
  ));
}

function headOf(turn: TurnView, callName: string | null): { name: string; icon: IconName | null } {
  if (turn.kind === "sampled") return { name: "Assistant", icon: null };
  if (turn.role === "tool")
    return {
      name: callName === null ? "Tool" : `${callName} answered`,
      icon: toolIcon(callName ?? ""),
    };
  if (turn.role === "system") return { name: "System", icon: "file" };
  return { name: turn.role === "user" ? "User" : turn.role, icon: "user" };
}
