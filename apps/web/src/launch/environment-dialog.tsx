"use client";
import type { EnvironmentReading } from "@liverl/contract/launch";
import { readPath } from "@liverl/contract/spec/read-path";
import { Button, Modal, Radio, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#launch/launch.module.css";
import { fieldText } from "#launch/parse-field.ts";
import type { Launch } from "#launch/use-launch.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";

/** Takes the values of a launch script over into the draft, after showing what they come to. */
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
  const [choices, setChoices] = useState<Record<string, number>>({});
  const [variables, setVariables] = useState<Record<string, string>>({});
  const [onto, setOnto] = useState<"draft" | "defaults">("draft");
  const read = useMutation(trpc.launch.readEnvironment.mutationOptions());
  const [reading, setReading] = useState<EnvironmentReading | null>(null);
  const readWith = (given: {
    choices: Record<string, number>;
    variables: Record<string, string>;
  }) => read.mutate({ text, ...given }, { onSuccess: setReading });
  const begin = (next: string) => {
    setText(next);
    setReading(null);
    setChoices({});
    setVariables({});
  };
  const close = () => {
    onClose();
    read.reset();
    begin("");
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Paste a launch script"
      size={760}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <p className="i2">
        A script that starts verl, variables as <span className="m">TRAIN_BSZ=8</span>, overrides as{" "}
        <span className="m">key=value</span>, or Hydra's <span className="m">overrides.yaml</span>.
        It is read as bash would run it, and nothing is run.
      </p>
      <Textarea
        label="Script or variables"
        placeholder={"export TRAIN_BSZ=64 N_RESP=8\nstaleness_threshold=0.5"}
        mt={12}
        minRows={6}
        maxRows={reading ? 8 : 14}
        autosize
        data-autofocus
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--font-mono)", fontSize: 12 } }}
        value={text}
        onChange={(event) => begin(event.currentTarget.value)}
      />
      {read.isError && (
        <p className="note bad" role="alert" style={{ marginTop: 12 }}>
          {describeError(read.error).message}
        </p>
      )}
      {reading && (
        <>
          <Choices
            reading={reading}
            onChoose={(id, option) => {
              const next = { ...choices, [id]: option };
              setChoices(next);
              readWith({ choices: next, variables });
            }}
          />
          <Unknowns
            // What is filled in stays in sight, though it is not unknown any more.
            names={[
              ...new Set([...Object.keys(variables), ...reading.unknowns.map(({ name }) => name)]),
            ]}
            reading={reading}
            onFill={(name, value) => {
              const { [name]: _, ...others } = variables;
              const next = value === "" ? others : { ...others, [name]: value };
              setVariables(next);
              readWith({ choices, variables: next });
            }}
          />
          <Reading reading={reading} launch={launch} />
        </>
      )}
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
            disabled={reading.values.length === 0 || read.isPending}
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
            onClick={() => readWith({ choices, variables })}
          >
            Read
          </Button>
        )}
      </div>
    </Modal>
  );
}

const lineText = (line: number | null) => (line === null ? "" : `line ${line}`);

/** Places where only a run would tell which way the script goes. */
function Choices({
  reading,
  onChoose,
}: {
  reading: EnvironmentReading;
  onChoose: (id: string, option: number) => void;
}) {
  if (reading.choices.length === 0) return null;
  return (
    <section aria-label="Choices" className={styles.readingChoices}>
      {reading.choices.map(({ id, line, condition, options, taken, isChosen }) => (
        <Radio.Group
          key={id}
          label={
            <>
              {lineText(line)} <span className="m">{condition}</span>
              {!isChosen && <span className="warn-t"> is not known here: choose</span>}
            </>
          }
          value={String(taken)}
          onChange={(next) => onChoose(id, Number(next))}
        >
          {options.map(({ label, changes, stops }, option) => (
            <Radio
              // Options have no name of their own but their place.
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
              key={option}
              mt={4}
              size="xs"
              value={String(option)}
              disabled={stops}
              label={label}
              description={describeOption({ changes, stops, isTaken: option === taken, isChosen })}
            />
          ))}
        </Radio.Group>
      ))}
    </section>
  );
}

function describeOption({
  changes,
  stops,
  isTaken,
  isChosen,
}: {
  changes: EnvironmentReading["choices"][number]["options"][number]["changes"];
  stops: boolean;
  isTaken: boolean;
  isChosen: boolean;
}): string | undefined {
  if (isTaken) return isChosen ? undefined : "taken until you choose";
  if (stops) return "ends the script before it trains";
  if (changes.length === 0) return undefined;
  const shown = changes
    .slice(0, 4)
    .map(({ path, value }) => `${path} ${value === undefined ? "not set" : plainText(value)}`);
  const more = changes.length > 4 ? `, and ${changes.length - 4} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** What the script's shell would bring along. */
function Unknowns({
  names,
  reading,
  onFill,
}: {
  names: readonly string[];
  reading: EnvironmentReading;
  onFill: (name: string, value: string) => void;
}) {
  if (names.length === 0) return null;
  return (
    <section aria-label="Values of the script's shell" className={styles.readingUnknowns}>
      {names.map((name) => {
        const unknown = reading.unknowns.find((each) => each.name === name);
        return (
          <TextInput
            key={name}
            size="xs"
            label={/^\d+$/.test(name) ? `Argument ${name} of the script` : `$${name}`}
            description={unknown && `Needed for ${unknown.keys.slice(0, 3).join(", ")}`}
            onBlur={(event) => onFill(name, event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") onFill(name, event.currentTarget.value);
            }}
          />
        );
      })}
    </section>
  );
}

function Reading({ reading, launch }: { reading: EnvironmentReading; launch: Launch }) {
  const { values, notes, command } = reading;
  const left = notes.filter(({ isMinor, choice }) => !isMinor && choice === null);
  const minor = notes.filter(({ isMinor }) => isMinor);
  if (values.length === 0 && notes.length === 0)
    return (
      <p className="hint" role="status" style={{ marginTop: 12 }}>
        There is no assignment in this text.
      </p>
    );
  return (
    <>
      {command && (
        <p className="hint" style={{ marginTop: 12 }}>
          <span className="m">{command.program}</span> on {lineText(command.line)}
          {command.via.length > 0 && `, started by ${command.via.join(", ")}`}
        </p>
      )}
      {left.length > 0 && (
        <ul className={styles.reading} aria-label="Not taken">
          <li className="i3">Left, {left.length}</li>
          <Notes notes={left} className="warn-t" />
        </ul>
      )}
      {values.length > 0 && (
        <ul className={styles.reading} aria-label="What it says">
          <li className="i3">Taken, {values.length}</li>
          {values.map(({ path, value, name, line }) => (
            <li key={path}>
              <span className="m">{path}</span>
              <span>
                {plainText(value)}
                <span className="i3">
                  {" "}
                  by {name}
                  {line !== null && ` on ${lineText(line)}`}, was{" "}
                  {plainText(readPath(launch.parsed.spec, path))}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {minor.length > 0 && (
        <details className={styles.readingMinor}>
          <summary>
            {minor.length} {minor.length === 1 ? "value" : "values"} not used
          </summary>
          <ul className={styles.reading} aria-label="Not used">
            <Notes notes={minor} />
          </ul>
        </details>
      )}
    </>
  );
}

function Notes({
  notes,
  className,
}: {
  notes: EnvironmentReading["notes"];
  className?: string | undefined;
}) {
  return notes.map(({ name, line, message }) => (
    <li key={`${line} ${name} ${message}`} className={className}>
      <span className="m">{name}</span>
      <span>
        {message}
        {line !== null && <span className="i3"> {lineText(line)}</span>}
      </span>
    </li>
  ));
}

const plainText = (value: unknown) => {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return (isMap ? JSON.stringify(value) : fieldText(value)) || "none";
};
