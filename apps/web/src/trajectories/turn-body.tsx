"use client";
import type { OfSegment, TurnOutline, TurnView } from "@liverl/contract/turn-view";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { asOutlined } from "#trajectories/as-outlined.ts";
import { GivenTexts } from "#trajectories/given-texts.tsx";
import { prepareHits } from "#trajectories/prepare-hits.ts";
import { CLOSED_CALLS, closeTurn, prepareParts } from "#trajectories/prepare-parts.ts";
import { tokenAtPoint } from "#trajectories/token-at-point.ts";
import { type Look, TokenRun } from "#trajectories/token-run.tsx";
import { ToolCard } from "#trajectories/tool-card.tsx";
import styles from "#trajectories/trajectories.module.css";
import { partOf, turnQuery } from "#trajectories/turn-query.ts";
import {
  CLOSED_RANGE,
  estimateHeight,
  OPEN_RANGE,
  RangeBar,
  rangeAround,
} from "#trajectories/turn-range.tsx";
import { needsTrained, useTrained } from "#trajectories/use-trained.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";

/** What was said in a turn, read by range once the turn is in view. `focus`: a token or character to be shown. */
export function TurnBody({
  of,
  turn,
  look,
  focus,
  onToken,
}: {
  of: OfSegment;
  turn: TurnOutline;
  look: Look;
  focus: number | null;
  onToken: (nodeId: number, index: number) => void;
}) {
  const { nodeId } = turn;
  const part = partOf(turn, look);
  const [range, setRange] = useState(focus === null ? CLOSED_RANGE : rangeAround(focus, part));
  useEffect(() => {
    if (focus !== null) setRange(rangeAround(focus, part));
  }, [focus, part]);
  const query = useQuery({
    ...turnQuery(useTRPC(), of, turn, look, range),
    // Another range of the same: what is shown stays until it is there, and the button that asked keeps the focus.
    placeholderData: (before) =>
      before && before.tokens.ids.length > 0 === (part === "tokens") ? before : undefined,
  });
  const { data } = query;
  const whole = useMemo(() => data && asOutlined(data, turn), [data, turn]);
  // While something is sought all calls are shown: it may stand in any of them.
  const isWhole = range.isOpen || look.query !== "";
  const body = useMemo(
    () => (whole === undefined || isWhole ? whole : closeTurn(whole)),
    [whole, isWhole],
  );
  const isClosed = body !== whole;
  const shown = body?.tokens.ids.length ?? 0;
  const { chosen } = look;
  // Once for each token that is chosen, so that the turn may be closed after it.
  const isNew = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is new when it is another
  useEffect(() => {
    isNew.current = true;
  }, [chosen]);
  useEffect(() => {
    if (body === undefined || !isNew.current) return;
    isNew.current = false;
    if (isClosed && chosen !== null && chosen >= shown) setRange(OPEN_RANGE);
  }, [body, isClosed, chosen, shown]);
  if (body === undefined)
    return query.isError ? (
      <ErrorState
        what="This turn could not be read"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <p className={styles.text} style={{ minHeight: estimateHeight(turn) - 36 }} aria-busy="true">
        {turn.label}
      </p>
    );
  const choose = (event: React.MouseEvent) => {
    const index = tokenAtPoint(event.nativeEvent, body.tokens.text, body.from);
    if (index !== null) onToken(nodeId, index);
  };
  return (
    <>
      {/* Tokens are chosen by click here and by arrow keys on the page; the Tokens view lists them as buttons. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: see above */}
      <div onClick={choose} data-tokens={shown}>
        {part === "text" ? (
          <GivenTexts turn={turn} body={body} isOpen={range.isOpen} query={look.query} />
        ) : needsTrained(turn, look) ? (
          <TrainedTokens of={of} turn={turn} body={body} look={look} />
        ) : (
          <Tokens turn={body} look={look} />
        )}
      </div>
      <RangeBar
        turn={turn}
        part={part}
        range={range}
        calls={isClosed ? CLOSED_CALLS : null}
        onRange={setRange}
      />
    </>
  );
}

/** Under a lens that shows what the update computed. */
function TrainedTokens({
  of,
  turn,
  body,
  look,
}: {
  of: OfSegment;
  turn: TurnOutline;
  body: TurnView;
  look: Look;
}) {
  const trained = useTrained(of, turn, body);
  const seen = useMemo(() => ({ ...look, trained }), [look, trained]);
  return <Tokens turn={body} look={seen} />;
}

function Tokens({ turn, look }: { turn: TurnView; look: Look }) {
  const Shown = turn.kind === "sampled" ? SampledTokens : GivenTokens;
  return <Shown turn={turn} look={look} />;
}

function SampledTokens({ turn, look }: { turn: TurnView; look: Look }) {
  const parts = useMemo(() => prepareParts(turn), [turn]);
  const hits = useMemo(() => prepareHits(turn.tokens.text, look.query), [turn, look.query]);
  const shown = parts.filter(
    (part) => part.kind !== "control" || look.exact || look.lens !== "none",
  );
  if (shown.length === 0)
    return (
      <p className={styles.text}>
        <span className="i3">nothing but the end of the turn</span>
      </p>
    );
  return shown.map((part) =>
    part.kind === "call" ? (
      <ToolCard
        key={`${part.from} ${part.call?.id}`}
        turn={turn}
        part={part}
        look={look}
        hits={hits}
      />
    ) : (
      <p key={part.from} className={styles.text}>
        <TokenRun
          turn={turn}
          from={part.from}
          to={part.to}
          look={look}
          hits={hits}
          isControl={part.kind === "control"}
        />
      </p>
    ),
  );
}

function GivenTokens({ turn, look }: { turn: TurnView; look: Look }) {
  const hits = useMemo(() => prepareHits(turn.tokens.text, look.query), [turn, look.query]);
  return (
    <div className={styles.block}>
      <TokenRun turn={turn} from={0} to={turn.tokens.ids.length} look={look} hits={hits} />
    </div>
  );
}
