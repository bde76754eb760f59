"use client";
import type { RunDetail } from "@liverl/contract/run";
import { Button, Modal } from "@mantine/core";

/** Asks before a run is ended in the middle of a step. */
export function KillDialog({
  run,
  isOpen,
  onClose,
  isPending,
  onKill,
}: {
  run: RunDetail;
  isOpen: boolean;
  onClose: () => void;
  isPending: boolean;
  onKill: () => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={`Kill ${run.name}?`}
      size={440}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        The trainer ends at once. What step {run.step + 1} did so far is lost; checkpoints and
        recorded rollouts stay. To end it cleanly, use “Stop after step”.
      </p>
      <div className="row dialog-foot">
        <Button onClick={onClose} data-autofocus>
          Keep running
        </Button>
        <Button color="red" variant="filled" loading={isPending} onClick={onKill}>
          Kill run
        </Button>
      </div>
    </Modal>
  );
}
