import { AlertLevel, type AlertNotice } from "@liverl/contract/alert";
import type { Alert, Run } from "@liverl/prisma/client";

/** Where people reach this control room. */
export interface Room {
  host: string;
  port: number;
}

const baseOf = ({ host, port }: Room) => `http://${host === "::1" ? "[::1]" : host}:${port}`;

/** Body of a webhook about a firing, in our own JSON format. Pure. */
export function buildNotice(
  event: "fired" | "resolved",
  alert: Alert,
  run: Pick<Run, "id" | "name" | "project">,
  room: Room,
): AlertNotice {
  return {
    event,
    project: alert.project,
    alert: {
      id: alert.id,
      rule: alert.ruleName,
      level: AlertLevel.parse(alert.level),
      title: alert.title,
      detail: alert.detail,
      step: alert.step,
      metric: alert.metricKey,
      value: alert.value,
      firedAt: alert.firedAt.toISOString(),
      resolvedAt: alert.resolvedAt?.toISOString() ?? null,
      resolvedWhy: alert.resolvedWhy,
    },
    run: { id: run.id, name: run.name },
    url: `${baseOf(room)}/p/${encodeURIComponent(run.project)}/runs/${encodeURIComponent(run.id)}`,
  };
}

/** The same for somebody who wants to see whether the address works. */
export function buildTestNotice(project: string, room: Room): AlertNotice {
  return {
    event: "test",
    project,
    alert: {
      ...{ id: null, rule: "Test", level: "warn", title: "A test from LiveRL" },
      detail: "Alerts of this project come here.",
      ...{ step: null, metric: null, value: null },
      firedAt: new Date().toISOString(),
      ...{ resolvedAt: null, resolvedWhy: null },
    },
    run: null,
    url: `${baseOf(room)}/p/${encodeURIComponent(project)}/alerts`,
  };
}

/** As Slack's incoming webhooks take it: https://api.slack.com/reference/surfaces/formatting. Pure. */
export function asSlack({ event, alert, run, project, url }: AlertNotice): { text: string } {
  const mark =
    event === "resolved"
      ? ":white_check_mark:"
      : alert.level === "bad"
        ? ":rotating_light:"
        : ":warning:";
  const state = event === "resolved" ? `Over: ${alert.title}` : alert.title;
  const where = run ? `${project} / ${run.name}` : project;
  const why = event === "resolved" ? (alert.resolvedWhy ?? "") : alert.detail;
  return {
    text: [`${mark} *${escapeSlack(state)}*`, `<${url}|${escapeSlack(where)}>`, escapeSlack(why)]
      .filter((line) => line !== "")
      .join("\n"),
  };
}

const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
