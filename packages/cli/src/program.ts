import { Command } from "commander";
import type { Act } from "#cli.ts";
import { addActCommands } from "#commands/act-commands.ts";
import { addAlertCommands } from "#commands/alert-commands.ts";
import { addAnnotateCommands } from "#commands/annotate-commands.ts";
import { addApiCommand } from "#commands/api-command.ts";
import { addArchiveCommands } from "#commands/archive-commands.ts";
import { addCheckpointCommands } from "#commands/checkpoint-commands.ts";
import { addCompareCommand } from "#commands/compare-command.ts";
import { addConfigCommand } from "#commands/config-command.ts";
import { addLaunchCommands } from "#commands/launch-commands.ts";
import { addLogCommand } from "#commands/log-command.ts";
import { addMachineCommands } from "#commands/machine-commands.ts";
import { addMetricCommand } from "#commands/metric-command.ts";
import { addMetricNameCommands } from "#commands/metric-name-commands.ts";
import { addPriceCommands } from "#commands/price-commands.ts";
import { addReplayCommands } from "#commands/replay-commands.ts";
import { addRolloutCommands } from "#commands/rollout-commands.ts";
import { addRunCommands } from "#commands/run-commands.ts";
import { addSavedCommands } from "#commands/saved-commands.ts";
import { addSessionCommands } from "#commands/session-commands.ts";
import { addThresholdCommands } from "#commands/threshold-commands.ts";
import { addBrowserCommands, addTokenCommands } from "#commands/token-commands.ts";
import { addTrajectoryCommand } from "#commands/trajectory-command.ts";

const EXIT_CODES = `
Exit codes: 0 ok · 1 the claim does not hold (a run failed, a preflight refuses, a verdict is bad) · 2 wrong usage or input ·
3 there is no such thing · 4 not allowed · 5 LiveRL is away · 6 not possible in this state · 7 a fault of LiveRL · 130 interrupted`;

/** All commands but those that need no server. */
export function buildProgram(act: Act): Command {
  const program = new Command("liverl")
    .description("Run and watch online reinforcement learning of coding agents.")
    .option("--url <url>", "address of LiveRL (LIVERL_URL)")
    .option("--token <token>", "API token (LIVERL_TOKEN)")
    .option(
      "--data-dir <folder>",
      "of a LiveRL on this machine: its address and token are there (default: .liverl)",
    )
    .option("--json", "the last line of stdout is one JSON object, all else goes to stderr")
    .showSuggestionAfterError()
    .addHelpText("after", EXIT_CODES);
  addRunCommands(program, act);
  addLaunchCommands(program, act);
  addConfigCommand(program, act);
  addCompareCommand(program, act);
  addActCommands(program, act);
  addAnnotateCommands(program, act);
  addLogCommand(program, act);
  addMetricCommand(program, act);
  addRolloutCommands(program, act);
  addTrajectoryCommand(program, act);
  addReplayCommands(program, act);
  addCheckpointCommands(program, act);
  addArchiveCommands(program, act);
  addSessionCommands(program, act);
  addAlertCommands(program, act);
  addThresholdCommands(program, act);
  addMetricNameCommands(program, act);
  addPriceCommands(program, act);
  addSavedCommands(program, act);
  addMachineCommands(program, act);
  addTokenCommands(program, act);
  addBrowserCommands(program, act);
  addApiCommand(program, act);
  return program;
}
