import { AddReceiver, AddSilence, ListAlerts, SaveRule } from "@liverl/contract/alert";
import { Count32 } from "@liverl/contract/int32";
import { z } from "zod";
import { dismissAlert } from "#alerts/dismiss-alert.ts";
import { listAlerts } from "#alerts/list-alerts.ts";
import { addReceiver, listReceivers, removeReceiver, testReceiver } from "#alerts/receivers.ts";
import { listRules, removeRule, saveRule } from "#alerts/rules.ts";
import { addSilence, endSilence, listSilences } from "#alerts/silences.ts";
import { procedure, router } from "#trpc.ts";

const OfProject = z.object({ project: z.string() });
const Named = OfProject.extend({ id: z.string() });

export const alertRouter = router({
  list: procedure.input(ListAlerts).query(({ ctx, input }) => listAlerts(ctx, input)),
  dismiss: procedure
    .input(OfProject.extend({ id: Count32 }))
    .mutation(({ ctx, input }) => dismissAlert(ctx, input)),
  rules: procedure.input(OfProject).query(({ ctx, input }) => listRules(ctx, input)),
  saveRule: procedure.input(SaveRule).mutation(({ ctx, input }) => saveRule(ctx, input)),
  removeRule: procedure.input(Named).mutation(({ ctx, input }) => removeRule(ctx, input)),
  silences: procedure.input(OfProject).query(({ ctx, input }) => listSilences(ctx, input)),
  silence: procedure.input(AddSilence).mutation(({ ctx, input }) => addSilence(ctx, input)),
  endSilence: procedure.input(Named).mutation(({ ctx, input }) => endSilence(ctx, input)),
  receivers: procedure.input(OfProject).query(({ ctx, input }) => listReceivers(ctx, input)),
  addReceiver: procedure.input(AddReceiver).mutation(({ ctx, input }) => addReceiver(ctx, input)),
  removeReceiver: procedure.input(Named).mutation(({ ctx, input }) => removeReceiver(ctx, input)),
  testReceiver: procedure.input(Named).mutation(({ ctx, input }) => testReceiver(ctx, input)),
});
