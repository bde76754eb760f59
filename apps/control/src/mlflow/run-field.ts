import { AppError } from "@liverl/contract/app-error";
import type { MlflowRun } from "#mlflow/build-run.ts";

export type Field = (run: MlflowRun) => string | number | undefined;

const KINDS: Record<string, "metric" | "param" | "tag" | "attribute"> = {
  ...{ metric: "metric", metrics: "metric" },
  ...{ param: "param", params: "param", parameter: "param", parameters: "param" },
  ...{ tag: "tag", tags: "tag" },
  ...{ attribute: "attribute", attributes: "attribute", attr: "attribute", run: "attribute" },
};

/** Not what every object inherits: `constructor`, `__proto__`, `toString`. */
const ownValue = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** `metrics.loss`, `params."rollout.n"`, `status`, …: https://mlflow.org/docs/latest/search-runs. */
export function parseField(text: string): { field: Field; isNumber: boolean } {
  const dot = text.indexOf(".");
  const kind = dot === -1 ? "attribute" : ownValue(KINDS, text.slice(0, dot).toLowerCase());
  const name = text.slice(dot + 1).replace(/^(["`])(.*)\1$/s, "$2");
  if (kind === "metric")
    return {
      isNumber: true,
      field: ({ data }) => {
        const value = data.metrics.find(({ key }) => key === name)?.value;
        return value === undefined ? undefined : Number(value);
      },
    };
  if (kind === "param" || kind === "tag") {
    const list = kind === "param" ? "params" : "tags";
    const field: Field = ({ data }) => data[list].find(({ key }) => key === name)?.value;
    return { isNumber: false, field };
  }
  const attribute = ownValue(ATTRIBUTES, name.toLowerCase());
  if (kind === "attribute" && attribute) return attribute;
  throw new AppError("BAD_REQUEST", {
    userMessage: `${text.slice(0, 100)} is nothing to search for: use metrics.<key>, params.<key>, tags.<key>, or one of ${Object.keys(ATTRIBUTES).join(", ")}.`,
  });
}

const text = (field: Field) => ({ field, isNumber: false });
const number = (field: Field) => ({ field, isNumber: true });
const ATTRIBUTES: Record<string, { field: Field; isNumber: boolean }> = {
  run_id: text(({ info }) => info.run_id),
  run_name: text(({ info }) => info.run_name),
  status: text(({ info }) => info.status),
  user_id: text(({ info }) => info.user_id),
  artifact_uri: text(({ info }) => info.artifact_uri),
  start_time: number(({ info }) => info.start_time),
  created: number(({ info }) => info.start_time),
  end_time: number(({ info }) => info.end_time),
};
