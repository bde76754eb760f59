"use client";
import { EXPORT_FORMATS } from "@liverl/contract/metric";
import { ActionIcon, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { StepRange } from "#charts/metric-store.ts";
import { downloadMetrics, type ExportFormat } from "#metrics/download-metrics.ts";
import { describeError } from "#ui/describe-error.ts";
import { Icon } from "#ui/icon.tsx";

const WORDS = {
  csv: { label: "CSV", hint: "One line a point: key, step, wall time, value" },
  json: { label: "JSON", hint: "What the log route takes, to log it again" },
  parquet: { label: "Parquet", hint: "The same columns as CSV, typed and small" },
} as const satisfies Record<ExportFormat, { label: string; hint: string }>;

/** Saves every point of the metrics and steps that the page shows. */
export function ExportMenu({
  runId,
  keys,
  range,
}: {
  runId: string;
  keys: readonly string[];
  range: StepRange | null;
}) {
  const saving = useMutation({
    mutationFn: (format: ExportFormat) =>
      downloadMetrics(runId, {
        format,
        keys: [...keys],
        range: range === null ? undefined : [range[0], range[1]],
      }),
    onError: (error) =>
      notifications.show({
        color: "red",
        title: "The export did not work",
        message: describeError(error).message,
        autoClose: 10_000,
      }),
  });
  const steps = range === null ? "all steps" : `steps ${range[0]}–${range[1]}`;
  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>
        <ActionIcon
          size={26}
          title="Export"
          aria-label="Export what is shown"
          loading={saving.isPending}
        >
          <Icon name="down" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {keys.length === 1 ? "1 metric" : `${keys.length} metrics`}, {steps}, every point
        </Menu.Label>
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item
            key={format}
            disabled={keys.length === 0}
            onClick={() => saving.mutate(format)}
          >
            {WORDS[format].label}
            <span className="act-why">{WORDS[format].hint}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
