import type { RunDetail } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import { Button, Menu } from "@mantine/core";
import { launchHref } from "#shell/links.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";

const WAYS = [
  { how: "resume", label: "Go on from it", hint: "Weights, optimizer, order of tasks" },
  { how: "weights", label: "From its weights", hint: "Fresh optimizer; any engine and layout" },
] as const;

/** Opens the launch form with this run's values and this checkpoint to begin from. */
export function ForkMenu({ row, run }: { row: CheckpointRow; run: RunDetail }) {
  const can = { resume: row.can.forkResume, weights: row.can.forkWeights };
  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>
        <Button
          size="xs"
          h={24}
          px={8}
          fz={12}
          leftSection={<Icon name="fork" size={12} />}
          aria-label={`Fork from step ${row.step}`}
        >
          Fork
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>A new run with changed values</Menu.Label>
        {WAYS.map(({ how, label, hint }) => {
          const href = launchHref(run.project, { from: run.id, step: String(row.step), how });
          return can[how] === true ? (
            <Menu.Item key={how} component={Link} href={href}>
              {label}
              <span className="act-why">{hint}</span>
            </Menu.Item>
          ) : (
            <Menu.Item key={how} disabled>
              {label}
              <span className="act-why">{can[how]}</span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
