"use client";
import type { CallDetail, CallOutline } from "@liverl/contract/session-view";
import { ActionIcon } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { BodyView } from "#sessions/body-view.tsx";
import { describeCall } from "#sessions/describe-call.ts";
import { prepareChangedWishes } from "#sessions/prepare-changed-wishes.ts";
import { prepareTiming } from "#sessions/prepare-timings.ts";
import styles from "#sessions/sessions.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { Panel } from "#ui/panel.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** One call: its facts, and its request and answer as the client saw them. */
export function CallPanel({
  sessionId,
  call,
  live,
  onClose,
}: {
  sessionId: string;
  call: CallOutline;
  live: boolean;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.session.exchange.queryOptions({ sessionId, callId: call.id }, { staleTime: 60_000 }),
  );
  const { refetch, data } = query;
  // What was asked while the call ran lacks its answer.
  const isBehind = data !== undefined && data.call.endedAt === null && call.endedAt !== null;
  useEffect(() => {
    if (isBehind) void refetch();
  }, [isBehind, refetch]);
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another call is to be shown, too
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
  }, [call.id]);
  const status = describeCall(call, live);
  return (
    <div ref={panel} className={styles.callPanel}>
      <Panel
        label={`Call ${call.id}`}
        title={`Call ${call.id}`}
        note={<StatusWord kind={status.dot}>{status.words}</StatusWord>}
        right={
          <ActionIcon size={24} aria-label="Close the call" title="Close (esc)" onClick={onClose}>
            <Icon name="x" size={13} />
          </ActionIcon>
        }
      >
        <Facts call={call} live={live} detail={data} />
        {data ? (
          <div className={styles.bodies}>
            <BodyView
              label="Request"
              body={data.request}
              missing={
                call.error === "context_length_exceeded"
                  ? "The request was refused before it was recorded."
                  : "The request was not kept: the session is older than this record."
              }
            />
            <BodyView
              label="Response"
              body={data.response}
              missing={
                live && call.endedAt === null
                  ? "It is being answered."
                  : `There is none: ${call.error ?? "the call was never answered"}.`
              }
            />
          </div>
        ) : query.isError ? (
          <ErrorState
            what="This call could not be read"
            error={query.error}
            onRetry={() => void refetch()}
          />
        ) : (
          <div className="pb">
            <Skeleton height={240} />
          </div>
        )}
      </Panel>
    </div>
  );
}

function Facts({
  call,
  live,
  detail,
}: {
  call: CallOutline;
  live: boolean;
  detail: CallDetail | undefined;
}) {
  const timing = prepareTiming(call, live ? Date.now() : null);
  // A call that ended without an engine's id never reached one.
  const reached =
    detail !== undefined && (detail.call.requestIds.length > 0 || detail.call.endedAt === null);
  const sampling = reached ? Object.entries(detail.call.sampling) : [];
  const changed = reached ? prepareChangedWishes(detail.call) : [];
  return (
    <dl className={styles.callFacts}>
      {reached && (
        <Fact label="Engine's request">
          <span className="m">{call.requestId}</span>
        </Fact>
      )}
      <Fact label="Dialect">{call.dialect}</Fact>
      {call.ignored && <Fact label="Ignored fields">{call.ignored.join(", ")}</Fact>}
      <Fact label="Stopped by">
        {call.stopReason ?? "—"}
        {call.stopText !== null && <span className="m"> {JSON.stringify(call.stopText)}</span>}
      </Fact>
      <Fact label="Tokens">
        {call.usage.promptTokens.toLocaleString("en-US")} in,{" "}
        {call.usage.sampledTokens.toLocaleString("en-US")} out
      </Fact>
      <Fact label="Time">
        {`${formatDuration(timing.renderS)} render, ${formatDuration(timing.queueS)} queue, ${formatDuration(timing.generateS)} generate`}
      </Fact>
      {sampling.length > 0 && (
        <Fact label="The engine was told">
          <span className="m">
            {sampling.map(([key, value]) => `${key} ${JSON.stringify(value)}`).join(", ")}
          </span>
        </Fact>
      )}
      {changed.length > 0 && (
        <Fact label="Asked for otherwise">
          <span className="m">{changed.join("; ")}</span>
        </Fact>
      )}
      {call.error !== null && (
        <Fact label="Error">
          <span className="bad-t">{call.error}</span>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
