"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { FindBox } from "#trajectories/find-box.tsx";
import { LensDrawer } from "#trajectories/lens-drawer.tsx";
import { Outline } from "#trajectories/outline.tsx";
import { findTurns } from "#trajectories/prepare-hits.ts";
import { prepareOutline } from "#trajectories/prepare-outline.ts";
import { type TokenRow, tokenKey } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { TurnBlock, turnDomId } from "#trajectories/turn-block.tsx";
import type { Inspector } from "#trajectories/use-inspector.ts";
import { Chip } from "#ui/chip.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { plainText } from "#ui/plain-text.ts";

/** Outline, conversation and lens, side by side. */
export function ConversationView({
  view,
  inspector,
  token,
  logHrefOf,
  onJump,
}: {
  view: TrajectoryView;
  inspector: Inspector;
  token: TokenRow | null;
  logHrefOf: (at: string) => string;
  onJump: (nodeId: number) => void;
}) {
  const { turns } = view;
  const { lens, q, exact, tools, given, set } = inspector;
  const outline = useMemo(() => prepareOutline(turns), [turns]);
  const matches = useMemo(() => findTurns(turns, q), [turns, q]);
  const callNames = useMemo(
    () =>
      new Map(turns.flatMap((turn) => turn.toolCalls.map((call) => [call.id, call.name] as const))),
    [turns],
  );
  const shown = turns.filter(
    (turn) => turn.kind === "sampled" || (turn.role === "tool" ? tools : given),
  );
  const onToken = useCallback(
    (nodeId: number, index: number) => void set({ tok: tokenKey(nodeId, index) }),
    [set],
  );
  useScrollToTurn(inspector.turn, turns.length > 0);
  const { verifier } = view;
  const verdict = verifier && {
    label:
      verifier.passed === null || verifier.total === null
        ? verifier.outcome
        : `${verifier.passed} / ${verifier.total}`,
    failed: view.rollout.reward !== null && view.rollout.reward < 1,
  };
  return (
    <div className={styles.cols}>
      <Outline
        rows={outline}
        current={inspector.turn}
        verdict={verdict}
        onJump={onJump}
        onVerifier={() => void set({ tab: "verifier" })}
      />
      <div className={`${styles.talk} scroll`}>
        <div className={styles.bar}>
          <FindBox
            value={q}
            matches={matches.length}
            onChange={(next) => void set({ q: next || null })}
            onNext={(by) => jumpToMatch(matches, inspector.turn, by, onJump)}
          />
          <span className="f12 i3 hide-md" style={{ marginLeft: 6 }}>
            Show
          </span>
          <Toggle label="Tool output" isOn={tools} onToggle={() => void set({ tools: !tools })} />
          <Toggle label="Given text" isOn={given} onToggle={() => void set({ given: !given })} />
          <Toggle label="Exact tokens" isOn={exact} onToggle={() => void set({ exact: !exact })} />
        </div>
        {turns.length === 0 ? (
          <EmptyState title="No turn yet">
            {view.rollout.error
              ? plainText(view.rollout.error.exception_message)
              : "The conversation appears as soon as its record is written, at the end of the attempt."}
          </EmptyState>
        ) : (
          shown.map((turn) => (
            <TurnBlock
              key={turn.nodeId}
              turn={turn}
              lens={lens}
              chosen={token?.nodeId === turn.nodeId ? token.index : null}
              query={q}
              exact={exact}
              isOn={turn.nodeId === inspector.turn}
              callName={turn.toolCallId === null ? null : (callNames.get(turn.toolCallId) ?? null)}
              logHref={turn.startedAt === null ? null : logHrefOf(turn.startedAt)}
              onToken={onToken}
            />
          ))
        )}
      </div>
      <LensDrawer
        turns={turns}
        lens={lens}
        token={token}
        onLens={(next) => void set({ lens: next })}
      />
    </div>
  );
}

function Toggle({ label, isOn, onToggle }: { label: string; isOn: boolean; onToggle: () => void }) {
  return (
    <Chip tone={isOn ? "on" : "neutral"} pressed={isOn} onClick={onToggle}>
      {isOn && <Icon name="check" size={11} />}
      {label}
    </Chip>
  );
}

function jumpToMatch(
  matches: readonly number[],
  current: number | null,
  by: 1 | -1,
  onJump: (nodeId: number) => void,
): void {
  if (matches.length === 0) return;
  const at = current === null ? -1 : matches.indexOf(current);
  const next = matches[(at + by + matches.length) % matches.length] ?? matches[0];
  if (next !== undefined) onJump(next);
}

/** Brings the turn of the URL into view, once for each jump. */
function useScrollToTurn(nodeId: number | null, isReady: boolean): void {
  const last = useRef<number | null>(null);
  useEffect(() => {
    if (nodeId === null || !isReady || last.current === nodeId) return;
    last.current = nodeId;
    document.getElementById(turnDomId(nodeId))?.scrollIntoView({ block: "start" });
  }, [nodeId, isReady]);
}
