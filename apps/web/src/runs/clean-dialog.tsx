"use client";
import type { RunDetail } from "@liverl/contract/run";
import { Button, Checkbox, Modal } from "@mantine/core";
import { useState } from "react";

/** What of an ended run may go: its leftovers in any case, logs and trials on request. */
export function CleanDialog({
  run,
  isOpen,
  onClose,
  onClosed,
  isPending,
  onClean,
}: {
  run: Pick<RunDetail, "name">;
  isOpen: boolean;
  onClose: () => void;
  /** It is gone from the screen: the time to give the focus back. */
  onClosed: () => void;
  isPending: boolean;
  onClean: (what: { logs: boolean; trials: boolean }) => void;
}) {
  const [logs, setLogs] = useState(false);
  const [trials, setTrials] = useState(false);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      title={`Clean up after ${run.name}?`}
      size={440}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        Sandboxes and processes that LiveRL started for this run end, if any are left. Checkpoints,
        metrics, events and rewards stay.
      </p>
      <Checkbox
        mt={12}
        label="Delete its logs"
        description="What its processes printed"
        checked={logs}
        onChange={(event) => setLogs(event.currentTarget.checked)}
      />
      <Checkbox
        mt={10}
        label="Delete its trials"
        description="Trajectories, tokens and files of every rollout; they can not be had again"
        checked={trials}
        onChange={(event) => setTrials(event.currentTarget.checked)}
      />
      <div className="row dialog-foot">
        <Button onClick={onClose} data-autofocus>
          Keep all
        </Button>
        <Button
          color={logs || trials ? "red" : undefined}
          variant="filled"
          loading={isPending}
          onClick={() => onClean({ logs, trials })}
        >
          Clean
        </Button>
      </div>
    </Modal>
  );
}
