"use client";
import type { OfSegment, TurnMatch } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { ConversationBar } from "#trajectories/conversation-bar.tsx";
import { LensDrawer } from "#trajectories/lens-drawer.tsx";
import { Outline } from "#trajectories/outline.tsx";
import { prepareOutline } from "#trajectories/prepare-outline.ts";
import { type TokenRow, tokenKey } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { TurnBlock } from "#trajectories/turn-block.tsx";
import { TurnList } from "#trajectories/turn-list.tsx";
import type { Inspector } from "#trajectories/use-inspector.ts";
import type { VisibleTurn } from "#trajectories/visible-turn.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { plainText } from "#ui/plain-text.ts";
import { useNow } from "#ui/use-now.ts";

/** Outline, conversation and lens, side by side. */
export function ConversationView({
  of,
  view,
  inspector,
  token,
  visible,
  logHrefOf,
  onJump,
  onAgain,
}: {
  of: OfSegment;
  view: TrajectoryView;
  inspector: Inspector;
  token: TokenRow | null;
  visible: VisibleTurn;
  logHrefOf: (at: string) => string;
  onJump: (nodeId: number) => void;
  onAgain: ((turn: number) => void) | null;
}) {
  const { turns } = view;
  const { lens, exact, tools, given, tok, set } = inspector;
  const outline = useMemo(() => prepareOutline(turns), [turns]);
  const { matches, query } = useMatches(of, inspector.q);
  const focusOf = new Map(matches.map(({ nodeId, first }) => [nodeId, first]));
  const callNames = useMemo(
    () =>
      new Map(turns.flatMap((turn) => turn.toolCalls.map((call) => [call.id, call.name] as const))),
    [turns],
  );
  const shown = useMemo(
    () => turns.filter((turn) => turn.kind === "sampled" || (turn.role === "tool" ? tools : given)),
    [turns, tools, given],
  );
  // Back leads from the first token to the page without one; from token to token there is no way back.
  const history = tok === null ? "push" : "replace";
  const onToken = useCallback(
    (nodeId: number, index: number) => void set({ tok: tokenKey(nodeId, index) }, { history }),
    [set, history],
  );
  const advantage = view.advantage.value;
  const clip = view.trained.update?.clip ?? null;
  const plain = useMemo(
    () => ({ lens, advantage, clip, trained: null, chosen: null, query, exact }),
    [lens, advantage, clip, query, exact],
  );
  return (
    <div className={styles.cols}>
      <Outline
        rows={outline}
        current={inspector.turn}
        visible={visible}
        verdict={verdictOf(view)}
        isOver={!view.live}
        onJump={onJump}
        onVerifier={() => void set({ tab: "verifier" }, { history: "push" })}
      />
      <div className={styles.talk}>
        <ConversationBar inspector={inspector} matches={matches} onJump={onJump} />
        {turns.length === 0 ? (
          <NoTurn view={view} />
        ) : (
          <TurnList
            of={of}
            turns={shown}
            look={plain}
            current={inspector.turn}
            follows={view.live}
            visible={visible}
            end={view.pendingSince !== null && <Pending since={view.pendingSince} />}
          >
            {(turn) => (
              <TurnBlock
                of={of}
                turn={turn}
                look={token?.nodeId === turn.nodeId ? { ...plain, chosen: token.index } : plain}
                focus={turn.nodeId === inspector.turn ? (focusOf.get(turn.nodeId) ?? null) : null}
                isOn={turn.nodeId === inspector.turn}
                callName={
                  turn.toolCallId === null ? null : (callNames.get(turn.toolCallId) ?? null)
                }
                logHref={turn.startedAt === null ? null : logHrefOf(turn.startedAt)}
                onToken={onToken}
                onAgain={onAgain}
              />
            )}
          </TurnList>
        )}
      </div>
      <LensDrawer
        view={view}
        lens={lens}
        token={token}
        onLens={(next) => void set({ lens: next })}
      />
    </div>
  );
}

/** Turns that hold what is sought, mounted or not, and what it was. */
function useMatches(
  of: OfSegment,
  sought: string,
): { matches: readonly TurnMatch[]; query: string } {
  const [query] = useDebouncedValue(sought, 200);
  const found = useQuery(
    useTRPC().trajectory.find.queryOptions(
      { ...of, query: query || " " },
      { enabled: query !== "", staleTime: 60_000, placeholderData: keepPreviousData },
    ),
  );
  return { query, matches: query === "" ? [] : (found.data ?? []) };
}

function NoTurn({ view }: { view: TrajectoryView }) {
  const { status, error } = view.rollout;
  const isUnderWay = status === "queued" || status === "running";
  return (
    <EmptyState title={isUnderWay ? "No turn yet" : "No turn"}>
      {error
        ? plainText(error.exception_message)
        : isUnderWay
          ? "Turns appear here one by one, as soon as the agent calls the model."
          : "The attempt ended before the model answered, or its record is gone."}
    </EmptyState>
  );
}

/** A model call that is under way: its turn appears whole, once it is durable. */
function Pending({ since }: { since: string }) {
  const now = useNow(1_000);
  const seconds = now === null ? null : Math.max(0, now - Date.parse(since)) / 1_000;
  return (
    <p className={styles.pending} role="status">
      The model is answering{seconds === null ? "" : ` · ${formatDuration(seconds)}`}
    </p>
  );
}

function verdictOf({ verifier, rollout }: TrajectoryView) {
  return (
    verifier && {
      label:
        verifier.passed === null || verifier.total === null
          ? verifier.outcome
          : `${verifier.passed} / ${verifier.total}`,
      failed: rollout.reward !== null && rollout.reward < 1,
    }
  );
}
