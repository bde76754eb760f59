import {
  AlertRuleView,
  AlertView,
  DeliveryView,
  ReceiverView,
  SilenceView,
} from "@liverl/contract/alert";
import { PriceView } from "@liverl/contract/price";
import { ProjectTasks, TaskRows } from "@liverl/contract/task-view";
import { ThresholdView } from "@liverl/contract/threshold";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";
import { Done, Made } from "#api/notes/short-answers.ts";

export const ALERT_NOTES: NotesOf<"alert"> = {
  list: {
    about: "Alerts of a project that are open, silenced or over, newest first.",
    answer: z.object({
      alerts: z.array(AlertView),
      open: z.number().int(),
      silenced: z.number().int(),
      nextBefore: z.number().int().nullable(),
    }),
  },
  dismiss: { about: "Closes an alert that is open.", answer: Done },
  rules: { about: "The rules of a project.", answer: z.object({ rules: z.array(AlertRuleView) }) },
  saveRule: { about: "Makes a rule, or changes the one of that id.", answer: Made },
  removeRule: {
    about: "Deletes a rule and closes its alerts.",
    answer: Done,
    isDestructive: true,
  },
  silences: {
    about: "Silences of a project that are not over.",
    answer: z.object({ silences: z.array(SilenceView) }),
  },
  silence: { about: "Tells nobody of alerts until a time, with a reason.", answer: Made },
  endSilence: { about: "Ends a silence at once.", answer: Done },
  receivers: {
    about: "Webhooks that a project's alerts are delivered to, with their newest deliveries.",
    answer: z.object({ receivers: z.array(ReceiverView) }),
  },
  addReceiver: { about: "Adds a webhook to a project.", answer: Made },
  removeReceiver: { about: "Deletes a webhook.", answer: Done, isDestructive: true },
  testReceiver: { about: "Sends a test to a webhook and tells its answer.", answer: DeliveryView },
};

export const THRESHOLD_NOTES: NotesOf<"threshold"> = {
  list: {
    about: "Every bound of the verdict, with its default, its source and the project's own.",
    answer: z.object({ thresholds: z.array(ThresholdView) }),
  },
  set: { about: "Sets a project's own bounds of a sign.", answer: Done },
  reset: { about: "Takes a project's own bounds away: the defaults count again.", answer: Done },
};

export const PRICE_NOTES: NotesOf<"price"> = {
  get: { about: "What an hour of a device costs in a project.", answer: PriceView },
  set: { about: "Sets the prices by which a project's runs are reckoned.", answer: Done },
};

export const TASK_NOTES: NotesOf<"task"> = {
  ofProject: { about: "Rewards of a project by task, over all runs.", answer: ProjectTasks },
  ofRun: { about: "Rewards of a run by task and step.", answer: TaskRows },
  history: { about: "Rewards of one task by run and step.", answer: TaskRows },
};

export const FILTER_NOTES: NotesOf<"filter"> = {
  list: {
    about: "Saved filters of a project.",
    answer: z.object({ filters: z.array(z.object({ name: z.string(), filter: z.string() })) }),
  },
  save: { about: "Saves a filter under a name, in the place of one that has it.", answer: Done },
  delete: { about: "Deletes a saved filter.", answer: Done, isDestructive: true },
};
