import { MOST_REPLAY_SAMPLES, type ReplayChoices } from "@liverl/contract/replay";
import { Select, TextInput } from "@mantine/core";
import { checkpointKey, type ReplayDraft } from "#replays/replay-draft.ts";
import styles from "#replays/replays.module.css";
import { Seg } from "#ui/seg.tsx";

const KINDS = [
  { value: "checkpoint", label: "A checkpoint" },
  { value: "live", label: "The run's engines" },
  { value: "engine", label: "An address" },
] as const;

/** Which weights, how many completions, and how they are sampled. */
export function ReplayFields({
  draft,
  choices,
  runId,
  faults,
  onChange,
}: {
  draft: ReplayDraft;
  choices: ReplayChoices;
  runId: string;
  faults: Record<string, string>;
  onChange: (change: Partial<ReplayDraft>) => void;
}) {
  const { sampling } = choices;
  const field = (name: "n" | "temperature" | "topP" | "maxTokens", label: string, was?: number) => (
    <TextInput
      label={label}
      inputMode="decimal"
      data-autofocus={name === "n" || undefined}
      value={draft[name]}
      error={faults[name]}
      description={was === undefined ? `up to ${MOST_REPLAY_SAMPLES}` : `was ${was}`}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className={styles.weights}>
        <span className={styles.label}>Weights</span>
        <Seg
          label="Weights"
          value={draft.kind}
          options={KINDS}
          onChange={(kind) => onChange({ kind })}
        />
      </div>
      {draft.kind === "checkpoint" && (
        <Checkpoints {...{ draft, choices, runId, faults, onChange }} />
      )}
      {draft.kind === "live" && (
        <p className="hint">
          Those that sample for {runId} now: an embedded run's engines stay up until another run
          begins. A running trainer shares them with you.
        </p>
      )}
      {draft.kind === "engine" && <Address {...{ draft, faults, onChange }} />}
      <div className={styles.numbers}>
        {field("n", "Completions")}
        {field("temperature", "Temperature", sampling.temperature)}
        {field("topP", "Top p", sampling.top_p)}
        {field("maxTokens", "Max tokens", sampling.max_tokens)}
      </div>
    </>
  );
}

type Part = {
  draft: ReplayDraft;
  faults: Record<string, string>;
  onChange: (change: Partial<ReplayDraft>) => void;
};

function Checkpoints({
  draft,
  choices: { checkpoints, noCheckpoint },
  runId,
  onChange,
}: Part & { choices: ReplayChoices; runId: string }) {
  if (noCheckpoint !== null) return <p className="note warn">{noCheckpoint}</p>;
  const groups = [...new Set(checkpoints.map((one) => one.runId))].map((id) => ({
    group: id === runId ? "This run" : id,
    items: checkpoints
      .filter((one) => one.runId === id)
      .map((one) => ({
        value: checkpointKey(one),
        label: `${id === runId ? "" : `${one.runName} · `}global_step_${one.step}`,
      })),
  }));
  return (
    <Select
      label="Checkpoint"
      data={groups}
      value={draft.checkpoint}
      allowDeselect={false}
      searchable
      nothingFoundMessage="No checkpoint by that name"
      maxDropdownHeight={260}
      onChange={(value) => value !== null && onChange({ checkpoint: value })}
    />
  );
}

function Address({ draft, faults, onChange }: Part) {
  return (
    <div className={styles.address}>
      <TextInput
        label="Address"
        placeholder="http://10.0.0.5:8000"
        value={draft.url}
        error={faults["weights.url"]}
        description="It must have this model's tokenizer: nothing in its API tells."
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <Select
        label="Speaks"
        data={[
          { value: "vllm", label: "vLLM's API" },
          { value: "sglang", label: "sglang's API" },
        ]}
        value={draft.api}
        allowDeselect={false}
        description="to LiveRL"
        onChange={(value) => onChange({ api: value === "sglang" ? "sglang" : "vllm" })}
      />
    </div>
  );
}
