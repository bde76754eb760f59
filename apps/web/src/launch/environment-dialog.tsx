"use client";
import type { EnvironmentReading } from "@liverl/contract/launch";
import { readPath } from "@liverl/contract/spec/read-path";
import { Button, Modal, Radio, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#launch/launch.module.css";
import { fieldText } from "#launch/parse-field.ts";
import type { Launch } from "#launch/use-launch.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";

/** Takes the variables and arguments of a launch script over into the draft, after showing what they come to. */
export function EnvironmentDialog({
  launch,
  isOpen,
  onClose,
}: {
  launch: Launch;
  isOpen: boolean;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const [text, setText] = useState("");
  const [onto, setOnto] = useState<"draft" | "defaults">("draft");
  const read = useMutation(trpc.launch.readEnvironment.mutationOptions());
  const reading = read.variables?.text === text ? read.data : undefined;
  const close = () => {
    onClose();
    read.reset();
    setText("");
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Paste a shell environment"
      size={640}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        Variables of a launch script, as <span className="m">TRAIN_BSZ=8 N_RESP=4</span>, and its{" "}
        <span className="m">key=value</span> arguments. Nothing is run.
      </p>
      <Textarea
        label="Script or variables"
        placeholder={"export TRAIN_BSZ=64 N_RESP=8\nstaleness_threshold=0.5"}
        mt={12}
        minRows={6}
        maxRows={14}
        autosize
        data-autofocus
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--font-mono)", fontSize: 12 } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {read.isError && (
        <p className="note bad" role="alert" style={{ marginTop: 12 }}>
          {describeError(read.error).message}
        </p>
      )}
      {reading && <Reading reading={reading} launch={launch} />}
      {reading && reading.values.length > 0 && (
        <Radio.Group
          mt={12}
          label="Everything that it does not say"
          value={onto}
          onChange={(next) => setOnto(next === "defaults" ? "defaults" : "draft")}
        >
          <Radio
            mt={6}
            value="draft"
            label={`stays as it stands in the form, of ${launch.pasted.began}`}
          />
          <Radio mt={6} value="defaults" label="becomes verl's own default, as in the script" />
        </Radio.Group>
      )}
      <div className="row dialog-foot">
        <Button onClick={close}>Cancel</Button>
        {reading ? (
          <Button
            variant="filled"
            disabled={reading.values.length === 0}
            onClick={() => {
              launch.pasted.takeOver(reading, onto);
              close();
            }}
          >
            Set {reading.values.length} {reading.values.length === 1 ? "value" : "values"}
          </Button>
        ) : (
          <Button
            variant="filled"
            disabled={text.trim() === ""}
            loading={read.isPending}
            onClick={() => read.mutate({ text })}
          >
            Read
          </Button>
        )}
      </div>
    </Modal>
  );
}

function Reading({ reading, launch }: { reading: EnvironmentReading; launch: Launch }) {
  const { values, notes } = reading;
  if (values.length === 0 && notes.length === 0)
    return (
      <p className="hint" role="status" style={{ marginTop: 12 }}>
        There is no assignment in this text.
      </p>
    );
  return (
    <ul className={styles.reading} aria-label="What it says">
      <li className="i3">Taken, {values.length}</li>
      {values.map(({ path, value, name }) => (
        <li key={path}>
          <span className="m">{path}</span>
          <span>
            {plainText(value)}
            <span className="i3">
              {" "}
              by {name}, was {plainText(readPath(launch.parsed.spec, path))}
            </span>
          </span>
        </li>
      ))}
      {notes.length > 0 && <li className="i3">Left, {notes.length}</li>}
      {notes.map(({ name, message }) => (
        <li key={name} className="warn-t">
          <span className="m">{name}</span>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}

const plainText = (value: unknown) => {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return (isMap ? JSON.stringify(value) : fieldText(value)) || "none";
};
