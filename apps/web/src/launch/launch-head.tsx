"use client";
import { Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Fragment } from "react";
import { EnvironmentDialog } from "#launch/environment-dialog.tsx";
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
  const [isPasting, pasting] = useDisclosure(false);
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
        <Menu.Dropdown maw={360} className={styles.presets}>
          {[...new Set(base.presets.map(({ group }) => group))].map((group) => (
            <Fragment key={group}>
              <Menu.Label>{group}</Menu.Label>
              {base.presets
                .filter((preset) => preset.group === group)
                .map((preset) => (
                  <Menu.Item key={preset.id} onClick={() => void base.pickPreset(preset.id)}>
                    <b className="med">{preset.label}</b>
                    <div className="hint">{preset.description}</div>
                  </Menu.Item>
                ))}
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
      {base.from !== null && (
        <span className="chip">
          {base.fork === null ? "Clone of" : "Fork of"}{" "}
          <b className="med" style={{ color: "var(--ink)" }}>
            {base.fork === null ? base.label : base.from}
          </b>
          {base.fork && (
            <span>
              at step {base.fork.step}
              {base.fork.how === "weights" ? ", weights alone" : ""}
            </span>
          )}
          <button
            type="button"
            aria-label="Start from a preset instead"
            onClick={() => {
              const own = base.presets.find(({ spec }) => spec.driver === launch.driver);
              void base.pickPreset((own ?? base.presets[0])?.id ?? "");
            }}
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
      {launch.defaults !== null && (
        <Button size="xs" h={26} onClick={pasting.open}>
          Paste launch script
        </Button>
      )}
      <EnvironmentDialog launch={launch} isOpen={isPasting} onClose={pasting.close} />
      <CopyButton text={launch.text} what="YAML" />
      <CopyButton text={cliCommand(launch.text)} what="CLI command" icon="term" />
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

/** The same launch from a shell. With `--plan` at its end it only prints preflight and plan. */
function cliCommand(yaml: string): string {
  return `npm run -s liverl -- launch - <<'LIVERL_SPEC'\n${yaml.trimEnd()}\nLIVERL_SPEC\n`;
}
