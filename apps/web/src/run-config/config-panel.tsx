"use client";
import type { RunDetail } from "@liverl/contract/run";
import type { RunConfig } from "@liverl/contract/run-config";
import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ConfigValues } from "#run-config/config-values.tsx";
import { prepareConfig } from "#run-config/prepare-config.ts";
import styles from "#run-config/run-config.module.css";
import { YamlLines } from "#run-config/yaml-lines.tsx";
import { launchHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Chip } from "#ui/chip.tsx";
import { CopyButton } from "#ui/copy-button.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const STATE = {
  vs: parseAsString,
  q: parseAsString.withDefault(""),
  changed: parseAsBoolean.withDefault(false),
  as: parseAsStringLiteral(["values", "yaml"]).withDefault("values"),
};
/** Runs that can be chosen to compare with; any other by its id in the address. */
const OFFERED = 100;

/** A run's configuration: values with their origin, against another run or what it began as; or the whole as YAML. */
export function ConfigPanel({ run, yaml }: { run: RunDetail; yaml: string }) {
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(STATE);
  const query = useQuery(
    trpc.run.config.queryOptions(
      { runId: run.id, ...(state.vs === null ? {} : { vs: state.vs }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const config = query.data;
  return (
    <Panel
      title="Configuration"
      note={noteOf(run, config)}
      right={
        <>
          <Seg
            label="Shown as"
            value={state.as}
            options={[
              { value: "values", label: "Values" },
              { value: "yaml", label: "YAML" },
            ]}
            onChange={(as) => void setState({ as: as === "values" ? null : as })}
          />
          <CopyButton text={yaml} what="as YAML" />
          {run.specYaml !== null && (
            <Button
              size="compact-sm"
              component={Link}
              href={launchHref(run.project, { from: run.id })}
            >
              Clone
            </Button>
          )}
        </>
      }
    >
      {state.as === "yaml" ? (
        <YamlLines yaml={yaml} />
      ) : (
        <>
          <div className={styles.tools}>
            <SearchBox
              label="Find a value"
              value={state.q}
              onChange={(q) => void setState({ q: q || null })}
              width={220}
            />
            <Against
              run={run}
              config={config}
              vs={state.vs}
              onChoose={(vs) => void setState({ vs })}
            />
            <Chip
              tone={state.changed ? "on" : "neutral"}
              pressed={state.changed}
              title={
                state.vs === null
                  ? "Values that the launch itself said"
                  : "Values that are not the same in both"
              }
              onClick={() => void setState({ changed: !state.changed || null })}
            >
              {state.changed && <Icon name="check" size={11} />}
              Changed only
            </Chip>
          </div>
          {query.isError ? (
            <ErrorState
              what="The configuration could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : config === undefined ? (
            <SkeletonRows rows={14} height={22} />
          ) : (
            <ConfigValues config={config} search={state.q} onlyChanged={state.changed} />
          )}
        </>
      )}
    </Panel>
  );
}

function noteOf({ specYaml }: RunDetail, config: RunConfig | undefined): string {
  const how = specYaml === null ? "as its trainer said it" : "as launched";
  if (config === undefined) return how;
  const { changed, total } = prepareConfig(config, { search: "", onlyChanged: false });
  const from = config.base === null ? "" : ` from ${config.base.label}`;
  return config.vs === null
    ? `${how}${from}, ${total} values`
    : `${changed} of ${total} values differ from ${config.vs.label}`;
}

function Against({
  run,
  config,
  vs,
  onChoose,
}: {
  run: RunDetail;
  config: RunConfig | undefined;
  vs: string | null;
  onChoose: (vs: string | null) => void;
}) {
  const trpc = useTRPC();
  const runs =
    useQuery(trpc.run.list.queryOptions({ project: run.project, limit: OFFERED })).data?.runs ?? [];
  const others = runs.filter(({ id }) => id !== run.id);
  const isListed = vs === null || vs === "base" || others.some(({ id }) => id === vs);
  const base = config?.base ?? null;
  return (
    <select
      className={styles.vs}
      aria-label="Compare with"
      value={vs ?? ""}
      onChange={({ currentTarget: { value } }) => onChoose(value === "" ? null : value)}
    >
      <option value="">Compare with …</option>
      {(base !== null || vs === "base") && (
        <option value="base">
          {base === null
            ? "What it began as"
            : `${base.kind === "preset" ? "Preset" : "Parent"}: ${base.label}`}
        </option>
      )}
      {!isListed && <option value={vs ?? ""}>{vs}</option>}
      {others.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}
