"use client";
import type { OfTurn, ReplayChoices } from "@liverl/contract/replay";
import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { firstDraft, type ReplayDraft, readDraft } from "#replays/replay-draft.ts";
import { ReplayFields } from "#replays/replay-fields.tsx";
import { ReplayList } from "#replays/replay-list.tsx";
import styles from "#replays/replays.module.css";
import { replayHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { useLastShown } from "#ui/use-last-shown.ts";

/** Asks how a turn is to be sampled again, and leads to what comes of it. Closed while there is no turn; the focus goes back then. */
export function ReplayDialog({
  of,
  turn,
  project,
  runId,
  onClose,
}: {
  of: Omit<OfTurn, "turn">;
  turn: number | null;
  project: string;
  runId: string;
  onClose: () => void;
}) {
  const shown = useLastShown(turn);
  return (
    <Modal
      opened={turn !== null}
      onClose={onClose}
      title={`Sample turn ${shown} again`}
      size={520}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {shown !== null && (
        <ReplayBody key={shown} of={{ ...of, turn: shown }} {...{ project, runId, onClose }} />
      )}
    </Modal>
  );
}

function ReplayBody({
  of,
  ...rest
}: {
  of: OfTurn;
  project: string;
  runId: string;
  onClose: () => void;
}) {
  const query = useQuery(useTRPC().replay.choices.queryOptions(of));
  if (query.data) return <ReplayForm of={of} {...rest} choices={query.data} />;
  if (query.isError)
    return (
      <ErrorState
        what="This turn can not be sampled again"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  return <SkeletonRows rows={5} height={34} />;
}

function ReplayForm({
  of,
  project,
  runId,
  choices,
  onClose,
}: {
  of: OfTurn;
  project: string;
  runId: string;
  choices: ReplayChoices;
  onClose: () => void;
}) {
  const router = useRouter();
  const queries = useQueryClient();
  const trpc = useTRPC();
  const [draft, setDraft] = useState<ReplayDraft>(() => firstDraft(choices));
  const [isAsked, setAsked] = useState(false);
  const start = useMutation(
    trpc.replay.start.mutationOptions({
      onSuccess: async ({ id }) => {
        await queries.invalidateQueries(trpc.replay.pathFilter());
        router.push(replayHref(project, runId, id));
      },
    }),
  );
  const read = readDraft(draft, { ...of, runId }, choices);
  const faults = isAsked && "faults" in read ? read.faults : {};
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if ("input" in read) start.mutate(read.input);
      }}
    >
      <p className="i2">
        This one model call alone, from its {choices.promptTokens.toLocaleString("en-US")} recorded
        prompt tokens. No tool runs and no sandbox starts. What comes of it is kept apart and never
        trains.
      </p>
      <ReplayFields
        draft={draft}
        choices={choices}
        runId={runId}
        faults={faults}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      {start.isError && (
        <p className="note bad" role="alert">
          {describeError(start.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={start.isPending || start.isSuccess}>
          Sample again
        </Button>
      </div>
      {choices.replays.length > 0 && (
        <section aria-label="Earlier replays of this rollout">
          <h3 className={styles.earlier}>Sampled again before</h3>
          <ReplayList replays={choices.replays} project={project} current={null} />
        </section>
      )}
    </form>
  );
}
