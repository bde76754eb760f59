import { AlertLevel, type AlertView, DeliveryView } from "@liverl/contract/alert";
import type { Alert, AlertDelivery, Run } from "@liverl/prisma/client";
import { viewStored } from "#database/view-stored.ts";

/** A delivery as the contract has it. */
export function viewDelivery(row: AlertDelivery, receiver: string): DeliveryView {
  return DeliveryView.parse({
    ...{ id: row.id, receiver, event: row.event, status: row.status },
    ...{ attempts: row.attempts, error: row.error },
    nextAt: row.status === "queued" ? row.nextAt.toISOString() : null,
    at: (row.deliveredAt ?? row.createdAt).toISOString(),
  });
}

export function viewAlert(
  row: Alert & {
    run: Pick<Run, "id" | "name" | "project">;
    deliveries: (AlertDelivery & { receiver: { name: string } })[];
  },
): AlertView {
  const { run, deliveries } = row;
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return viewStored(`alert ${row.id}`, () => ({
    ...{ id: row.id, ruleId: row.ruleId, ruleName: row.ruleName },
    run: { id: run.id, name: run.name, project: run.project },
    level: AlertLevel.parse(row.level),
    ...{ title: row.title, detail: row.detail, metricKey: row.metricKey },
    ...{ value: row.value, step: row.step, resolvedWhy: row.resolvedWhy, silenced: row.silenced },
    firedAt: row.firedAt.toISOString(),
    resolvedAt: time(row.resolvedAt),
    dismissedAt: time(row.dismissedAt),
    deliveries: deliveries.map((delivery) => viewDelivery(delivery, delivery.receiver.name)),
  }));
}
