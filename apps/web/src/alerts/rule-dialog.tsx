"use client";
import { AlertCondition, type AlertRuleView, RULE_PRESETS } from "@liverl/contract/alert";
import { Button, Modal, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import {
  draftOf,
  EMPTY_DRAFT,
  type RuleDraft,
  type RuleKind,
  readDraft,
} from "#alerts/rule-draft.ts";
import { RuleFields } from "#alerts/rule-fields.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Seg } from "#ui/seg.tsx";
import { useLastShown } from "#ui/use-last-shown.ts";

const KINDS: readonly { value: RuleKind; label: string }[] = [
  { value: "sign", label: "A sign of the verdict" },
  { value: "word", label: "The verdict's word" },
  { value: "status", label: "The state of the run" },
  { value: "threshold", label: "A metric beyond a value" },
  { value: "change", label: "A metric that changes" },
  { value: "z-score", label: "A metric far from its median" },
];

/** Makes a rule, or changes one. */
export function RuleDialog({
  project,
  rule,
  onClose,
}: {
  project: string;
  /** Null: closed. */
  rule: AlertRuleView | "new" | null;
  onClose: () => void;
}) {
  const shown = useLastShown(rule);
  return (
    <Modal
      opened={rule !== null}
      onClose={onClose}
      title={shown === null || shown === "new" ? "New rule" : `Change ${shown.name}`}
      size={560}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <RuleForm project={project} rule={shown === "new" ? null : shown} onClose={onClose} />
    </Modal>
  );
}

function RuleForm({
  project,
  rule,
  onClose,
}: {
  project: string;
  /** Null: a new one. */
  rule: AlertRuleView | null;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<RuleDraft>(() =>
    rule === null ? EMPTY_DRAFT : draftOf(rule),
  );
  const [isAsked, setAsked] = useState(false);
  const save = useMutation(
    trpc.alert.saveRule.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries();
        onClose();
      },
    }),
  );
  const read = readDraft(draft, { project, id: rule?.id, enabled: rule?.enabled ?? true });
  const faults = (isAsked ? read.faults : null) ?? {};
  const set = (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (read.rule) save.mutate(read.rule);
      }}
    >
      {rule === null && <Presets onPick={(picked) => setDraft(picked)} />}
      <TextInput
        label="Name"
        placeholder="Training is damaged"
        value={draft.name}
        error={faults.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Select
        label="Fires on"
        data={KINDS.slice()}
        value={draft.kind}
        allowDeselect={false}
        onChange={(kind) =>
          set({ kind: KINDS.find(({ value }) => value === kind)?.value ?? "sign" })
        }
      />
      <RuleFields draft={draft} faults={faults} set={set} metrics={useMetrics(project)} />
      <TextInput
        label="Runs whose name has"
        description="Empty: every run of the project"
        value={draft.runs}
        error={faults.runs}
        onChange={(event) => set({ runs: event.currentTarget.value })}
      />
      <div className="row">
        <span className="i2 f12">Level</span>
        <Seg
          label="Level"
          value={draft.level}
          options={[
            { value: "warn", label: "Warning" },
            { value: "bad", label: "Alarm" },
          ]}
          onChange={(level) => set({ level })}
        />
      </div>
      {save.isError && (
        <p className="note bad" role="alert">
          {describeError(save.error).message}
        </p>
      )}
      <div className="row dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="filled" loading={save.isPending}>
          {rule === null ? "Create rule" : "Save"}
        </Button>
      </div>
    </form>
  );
}

function Presets({ onPick }: { onPick: (draft: RuleDraft) => void }) {
  return (
    <div className={styles.presets} role="group" aria-label="Begin with">
      <span className="i3 f12">Begin with</span>
      {RULE_PRESETS.map(({ name, level, condition }) => (
        <button
          key={name}
          type="button"
          className="chip"
          onClick={() =>
            onPick(draftOf({ name, level, condition: AlertCondition.parse(condition) }))
          }
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Keys that the newest run of the project logs. */
function useMetrics(project: string): readonly string[] {
  const trpc = useTRPC();
  const newest = useQuery(trpc.run.list.queryOptions({ project, limit: 1 })).data?.runs[0];
  const keys = useQuery(
    trpc.metric.keys.queryOptions({ runId: newest?.id ?? "" }, { enabled: newest !== undefined }),
  ).data?.keys;
  return keys?.map(({ key }) => key) ?? [];
}
