"use client";
import type { OfSegment, TurnOutline, TurnView } from "@liverl/contract/turn-view";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { asOutlined } from "#trajectories/as-outlined.ts";
import { GivenTexts } from "#trajectories/given-texts.tsx";
import { prepareHits } from "#trajectories/prepare-hits.ts";
import { closeTurn, prepareParts } from "#trajectories/prepare-parts.ts";
import { tokenAtPoint } from "#trajectories/token-at-point.ts";
import { type Look, TokenRun } from "#trajectories/token-run.tsx";
import { ToolCard } from "#trajectories/tool-card.tsx";
import styles from "#trajectories/trajectories.module.css";
import { partOf, turnQuery } from "#trajectories/turn-query.ts";
import {
  CLOSED_RANGE,
  estimateHeight,
  isCut,
  openAround,
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
  // What is sought and not known yet to be shown: once for each jump, so that the turn may be closed after it.
  const sought = useRef<number | null>(null);
  useEffect(() => {
    sought.current = focus;
    if (focus !== null) setRange(rangeAround(focus, part));
  }, [focus, part]);
  const query = useQuery(turnQuery(useTRPC(), of, turn, look, range));
  const { data } = query;
  const whole = useMemo(() => data && asOutlined(data, turn), [data, turn]);
  const body = useMemo(
    () => (whole && !range.isOpen ? closeTurn(whole) : whole),
    [whole, range.isOpen],
  );
  const isClosed = body !== whole;
  const shown = body?.tokens.ids.length ?? 0;
  useEffect(() => {
    if (body === undefined) return;
    if (isClosed && focus !== null && focus === sought.current && focus >= shown)
      setRange(openAround(focus));
    sought.current = null;
  }, [body, isClosed, focus, shown]);
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
      {(isClosed || isCut(turn, part)) && (
        <RangeBar turn={turn} part={part} range={range} onRange={setRange} />
      )}
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
