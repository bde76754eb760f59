"use client";
import type { AlertView, DeliveryView } from "@liverl/contract/alert";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import styles from "#alerts/alerts.module.css";
import { HEALTH } from "#runs/status-of-run.ts";
import { runHref, stepHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Ago } from "#ui/ago.tsx";
import { describeError } from "#ui/describe-error.ts";
import { Link } from "#ui/link.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

/** One firing: what, where, who was told, and what can be done with it while it goes on. */
export function AlertRow({
  project,
  alert,
  onSilence,
}: {
  project: string;
  alert: AlertView;
  onSilence: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const dismiss = useMutation(
    trpc.alert.dismiss.mutationOptions({ onSuccess: () => queries.invalidateQueries() }),
  );
  const { id, run, level, title, detail, step, metricKey, resolvedAt, dismissedAt } = alert;
  const isOpen = resolvedAt === null && dismissedAt === null;
  const chart = metricKey === null ? null : `metrics?q=${encodeURIComponent(metricKey)}`;
  return (
    <li className={isOpen ? styles.row : `${styles.row} ${styles.off}`}>
      <StatusDot kind={isOpen ? HEALTH[level].dot : "off"} />
      <span className={styles.two}>
        <b>{title}</b>
        <span className="i2">{detail}</span>
        <span className={styles.links}>
          <Link className="lnk" href={runHref(run.project, run.id)}>
            {run.name}
          </Link>
          {step !== null && step > 0 && (
            <Link className="lnk" href={stepHref(run.project, run.id, step)}>
              Step {step}
            </Link>
          )}
          {chart !== null && (
            <Link className="lnk" href={runHref(run.project, run.id, chart)}>
              Chart
            </Link>
          )}
          <span className="i3">{alert.ruleName}</span>
        </span>
        <span className="i3">
          fired <Ago at={alert.firedAt} />
          {dismissedAt !== null && resolvedAt === null && (
            <>
              , dismissed <Ago at={dismissedAt} />
            </>
          )}
          {resolvedAt !== null && (
            <>
              , over <Ago at={resolvedAt} />
              {alert.resolvedWhy !== null && ` (${alert.resolvedWhy})`}
            </>
          )}
          {alert.silenced !== null && `; silenced: ${alert.silenced}`}
        </span>
        {alert.deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} />
        ))}
        {dismiss.isError && <span className="bad-t">{describeError(dismiss.error).message}</span>}
      </span>
      {isOpen && (
        <span className={styles.acts}>
          {alert.silenced === null && <Button onClick={onSilence}>Silence</Button>}
          <Button loading={dismiss.isPending} onClick={() => dismiss.mutate({ project, id })}>
            Dismiss
          </Button>
        </span>
      )}
    </li>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
  const { event, receiver, status, attempts, error, nextAt, at } = delivery;
  const what = event === "resolved" ? "All-clear" : "Alert";
  return (
    <span className={status === "failed" ? "bad-t" : "i3"}>
      {what} to {receiver}: {status} {status === "queued" ? null : <Ago at={at} />}
      {attempts > 1 && `, ${attempts} attempts`}
      {error !== null && ` — ${error}`}
      {nextAt !== null && attempts > 0 && " It is tried again."}
    </span>
  );
}
