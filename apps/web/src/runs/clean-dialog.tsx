"use client";
import type { CleanPlan, CleanRun } from "@liverl/contract/clean-run";
import type { RunDetail } from "@liverl/contract/run";
import { Button, Checkbox, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { prepareClean } from "#runs/prepare-clean.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";

export type CleanWish = Omit<CleanRun, "id">;
const NOTHING: CleanWish = { logs: false, trials: false, pods: false, force: false };

/** What of an ended run may go, with how much of it there is: its leftovers in any case, the rest on request. */
export function CleanDialog({
  run,
  isOpen,
  onClose,
  onClosed,
  isPending,
  onClean,
}: {
  run: Pick<RunDetail, "id" | "name">;
  isOpen: boolean;
  onClose: () => void;
  /** It is gone from the screen: the time to give the focus back. */
  onClosed: () => void;
  isPending: boolean;
  onClean: (what: CleanWish) => void;
}) {
  const trpc = useTRPC();
  const [wish, setWish] = useState(NOTHING);
  // What was there when it was last opened says nothing of now.
  const query = useQuery(
    trpc.run.planClean.queryOptions({ id: run.id }, { enabled: isOpen, staleTime: 0, gcTime: 0 }),
  );
  const deletes = wish.logs || wish.trials || wish.pods;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={`Clean up after ${run.name}?`}
      size={460}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        Sandboxes and processes that LiveRL started for this run end, if any are left. Checkpoints,
        metrics, events and rewards stay.
      </p>
      {query.isError ? (
        <ErrorState
          what="What there is could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <Choices plan={query.data ?? null} wish={wish} onWish={setWish} />
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose} data-autofocus>
          Keep all
        </Button>
        <Button
          color={deletes ? "red" : undefined}
          variant="filled"
          disabled={query.data === undefined}
          loading={isPending}
          onClick={() => onClean(wish)}
        >
          Clean
        </Button>
      </div>
    </Modal>
  );
}

function Choices({
  plan,
  wish,
  onWish,
}: {
  plan: CleanPlan | null;
  wish: CleanWish;
  onWish: (wish: CleanWish) => void;
}) {
  const { always, choices } = prepareClean(plan, wish);
  return (
    <>
      <p className="i2" role="status" style={{ marginTop: 8 }}>
        {always}
      </p>
      {choices.map(({ id, label, about, isPossible }) => (
        <Checkbox
          key={id}
          mt={10}
          label={label}
          description={about}
          disabled={!isPossible}
          checked={wish[id]}
          onChange={(event) => onWish({ ...wish, [id]: event.currentTarget.checked })}
        />
      ))}
    </>
  );
}
