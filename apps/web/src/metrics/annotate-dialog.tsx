"use client";
import type { RunEvent } from "@liverl/contract/run";
import { ActionIcon, Button, Modal, NumberInput, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import classes from "#metrics/metrics-page.module.css";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { formatExact } from "#ui/format-time.ts";
import { Icon } from "#ui/icon.tsx";
import { useLastShown } from "#ui/use-last-shown.ts";

/** What people wrote at a step, and room to write more. `step` is what it opens with; null while it is closed. */
export function AnnotateDialog({
  runId,
  events,
  step,
  onClose,
}: {
  runId: string;
  events: readonly RunEvent[];
  step: number | null;
  onClose: () => void;
}) {
  const shown = useLastShown(step);
  return (
    <Modal
      opened={step !== null}
      onClose={onClose}
      title="Annotate a step"
      size={460}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {shown !== null && (
        <AnnotateForm
          key={shown}
          runId={runId}
          events={events}
          firstStep={shown}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

function AnnotateForm({
  runId,
  events,
  firstStep,
  onClose,
}: {
  runId: string;
  events: readonly RunEvent[];
  firstStep: number;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const [step, setStep] = useState(firstStep);
  const [text, setText] = useState("");
  const onError = (error: unknown) =>
    notifications.show({
      color: "red",
      title: "That did not work",
      message: describeError(error).message,
      autoClose: 10_000,
    });
  const add = useMutation(trpc.run.annotate.mutationOptions({ onSuccess: onClose, onError }));
  const remove = useMutation(trpc.run.deleteAnnotation.mutationOptions({ onError }));
  const here = events.filter((event) => event.kind === "annotation" && event.step === step);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() !== "") add.mutate({ id: runId, step, text: text.trim() });
  }
  return (
    <form onSubmit={submit}>
      <NumberInput
        label="Step"
        value={step}
        min={0}
        max={2_147_483_647}
        allowDecimal={false}
        onChange={(value) => typeof value === "number" && setStep(value)}
      />
      {here.length > 0 && (
        <ul className={classes.notes} aria-label={`Annotations at step ${step}`}>
          {here.map(({ id, message, actor, at }) => (
            <li key={id}>
              <span>
                {message}
                <span className="i3 f11">
                  {actor}, {formatExact(at)}
                </span>
              </span>
              <ActionIcon
                size={22}
                variant="subtle"
                aria-label={`Delete “${message}”`}
                title="Delete for everyone"
                disabled={remove.isPending}
                onClick={() => remove.mutate({ id: runId, eventId: id })}
              >
                <Icon name="x" size={12} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <Textarea
        mt={12}
        label="What happened"
        description="Shown at this step on every chart of the run, to everyone"
        autosize
        minRows={2}
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <div className="row dialog-foot">
        <Button onClick={onClose}>Close</Button>
        <Button
          type="submit"
          variant="filled"
          loading={add.isPending}
          disabled={text.trim() === ""}
        >
          Annotate
        </Button>
      </div>
    </form>
  );
}
