"use client";
import type { AlertRuleView } from "@liverl/contract/alert";
import { describeCondition } from "@liverl/contract/describe-condition";
import { ActionIcon, Button, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import styles from "#alerts/alerts.module.css";
import { RuleDialog } from "#alerts/rule-dialog.tsx";
import { HEALTH } from "#runs/status-of-run.ts";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

/** When somebody is told. */
export function RulesPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.alert.rules.queryOptions({ project }));
  const [open, setOpen] = useState<AlertRuleView | "new" | null>(null);
  const rules = query.data?.rules;
  return (
    <Panel
      title="Rules"
      note={rules?.length}
      right={
        <Button leftSection={<Icon name="plus" size={13} />} onClick={() => setOpen("new")}>
          New rule
        </Button>
      }
    >
      {rules === undefined ? (
        query.isError ? (
          <ErrorState
            what="The rules could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <SkeletonRows rows={3} />
        )
      ) : rules.length === 0 ? (
        <EmptyState
          title="No rule yet"
          action={
            <button type="button" className="lnk" onClick={() => setOpen("new")}>
              Make the first from a preset
            </button>
          }
        >
          A rule watches every run of the project and fires once when its condition holds.
        </EmptyState>
      ) : (
        <ul className={styles.rows} aria-label="Rules">
          {rules.map((rule) => (
            <Rule key={rule.id} project={project} rule={rule} onEdit={() => setOpen(rule)} />
          ))}
        </ul>
      )}
      <RuleDialog project={project} rule={open} onClose={() => setOpen(null)} />
    </Panel>
  );
}

function Rule({
  project,
  rule,
  onEdit,
}: {
  project: string;
  rule: AlertRuleView;
  onEdit: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries();
  const save = useMutation(trpc.alert.saveRule.mutationOptions({ onSuccess }));
  const remove = useMutation(trpc.alert.removeRule.mutationOptions({ onSuccess }));
  const error = save.error ?? remove.error;
  const { id, name, condition, runs, level, enabled } = rule;
  return (
    <li className={enabled ? styles.row : `${styles.row} ${styles.off}`}>
      <StatusDot kind={HEALTH[level].dot} title={level === "bad" ? "Alarm" : "Warning"} />
      <span className={styles.two}>
        <b>{name}</b>
        <span className="i2">
          {describeCondition(condition)}
          {runs !== "" && <span className="i3"> · runs with “{runs}”</span>}
        </span>
        {error && <span className="bad-t">{describeError(error).message}</span>}
      </span>
      <span className={styles.acts}>
        {rule.open > 0 && <span className="warn-t nowrap">{rule.open} open</span>}
        <Switch
          size="xs"
          aria-label={`${name} is on`}
          checked={enabled}
          onChange={(event) =>
            save.mutate({
              ...{ project, id, name, condition, runs, level },
              enabled: event.currentTarget.checked,
            })
          }
        />
        <ActionIcon aria-label={`Change ${name}`} onClick={onEdit}>
          <Icon name="edit" size={14} />
        </ActionIcon>
        <ActionIcon
          aria-label={`Remove ${name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate({ project, id })}
        >
          <Icon name="x" size={14} />
        </ActionIcon>
      </span>
    </li>
  );
}
