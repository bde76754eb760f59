import { EnvironmentReading, LaunchSpec, PlanLaunchResult, Preset } from "@liverl/contract/launch";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";

export const LAUNCH_NOTES: NotesOf<"launch"> = {
  presets: {
    about:
      "The presets that a spec may start from, and the defaults of the drivers that have some.",
    answer: z.object({ presets: z.array(Preset), defaults: z.array(LaunchSpec) }),
  },
  plan: {
    about:
      "What a spec would do: faults of shape, or the plan and the preflight. Launches nothing; it reads the files and asks the clusters that the spec names.",
    answer: PlanLaunchResult,
  },
  suggestName: {
    about: "A name for a new run that its project has not yet.",
    answer: z.object({ name: z.string() }),
  },
  readEnvironment: {
    about:
      "What a launch script says in a spec's own words, read as bash would run it. Runs and keeps nothing.",
    answer: EnvironmentReading,
  },
  specOfFork: {
    about: "A run's spec that begins from one of its checkpoints.",
    answer: LaunchSpec,
  },
  specOf: { about: "The spec that a run was launched with.", answer: LaunchSpec },
};
