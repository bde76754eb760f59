"use client";
import { Button, Menu } from "@mantine/core";
import styles from "#launch/launch.module.css";
import type { Launch } from "#launch/use-launch.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { formatClock } from "#ui/format-time.ts";
import { Icon } from "#ui/icon.tsx";
import { Seg } from "#ui/seg.tsx";

export type LaunchView = "form" | "yaml";

export function LaunchHead({
  launch,
  view,
  onView,
}: {
  launch: Launch;
  view: LaunchView;
  onView: (view: LaunchView) => void;
}) {
  const { base, draft } = launch;
  return (
    <header className={styles.head}>
      <h1>Launch a run</h1>
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button" className="chip">
            {base.kind === "parent" ? "Presets" : "Preset"}
            {base.kind === "preset" && (
              <b className="med" style={{ color: "var(--ink)" }}>
                {base.label || "…"}
              </b>
            )}
            <Icon name="chevd" size={12} />
          </button>
        </Menu.Target>
        <Menu.Dropdown maw={360}>
          {base.presets.map((preset) => (
            <Menu.Item key={preset.id} onClick={() => void base.pickPreset(preset.id)}>
              <b className="med">{preset.label}</b>
              <div className="hint">{preset.description}</div>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {base.from !== null && (
        <span className="chip">
          Clone of{" "}
          <b className="med" style={{ color: "var(--ink)" }}>
            {base.label}
          </b>
          <button
            type="button"
            aria-label="Start from a preset instead"
            onClick={() => void base.pickPreset(base.presets[0]?.id ?? "")}
            style={{ border: 0, background: "none", padding: 0, display: "flex" }}
          >
            <Icon name="x" size={11} />
          </button>
        </span>
      )}
      <div className="grow" />
      {draft.savedAtMs !== null && (
        <span className="row f12 i3 nowrap">
          <span className="hide-md">Draft saved {formatClock(draft.savedAtMs).slice(0, 5)}</span>
          <Button variant="subtle" color="gray" size="xs" h={24} px={8} onClick={draft.discard}>
            Start again
          </Button>
        </span>
      )}
      <CopyButton text={launch.text} what="the YAML" />
      <Seg
        label="View"
        value={view}
        options={[
          { value: "form", label: "Form" },
          { value: "yaml", label: "YAML" },
        ]}
        onChange={onView}
      />
    </header>
  );
}
