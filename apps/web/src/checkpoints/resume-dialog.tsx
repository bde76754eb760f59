"use client";
import { Button, Modal } from "@mantine/core";
import { useLastShown } from "#ui/use-last-shown.ts";

/** Asks before a run goes back to an earlier step. */
export function ResumeDialog({
  step,
  lastStep,
  isPending,
  onClose,
  onResume,
}: {
  step: number | null;
  lastStep: number;
  isPending: boolean;
  onClose: () => void;
  onResume: (step: number) => void;
}) {
  const shown = useLastShown(step);
  return (
    <Modal
      opened={step !== null}
      onClose={onClose}
      title={`Resume from step ${shown ?? ""}?`}
      size={440}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        The same run goes on from <span className="m">global_step_{shown}</span>: weights,
        optimiser, order of tasks and random state are those of that checkpoint.
        {shown !== null &&
          shown < lastStep &&
          ` Steps ${shown + 1} to ${lastStep} are made anew and replace the points that stand there.`}
      </p>
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="filled"
          loading={isPending}
          onClick={() => step !== null && onResume(step)}
        >
          Resume
        </Button>
      </div>
    </Modal>
  );
}
