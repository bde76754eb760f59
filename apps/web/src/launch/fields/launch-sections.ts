import type { LaunchSpec } from "@liverl/contract/launch";
import { EMBEDDED_SECTIONS } from "#launch/fields/embedded-fields.ts";
import type { LaunchField, LaunchSection } from "#launch/fields/launch-field.ts";
import {
  DATA_SECTION,
  ENVIRONMENT_SECTION,
  FILTER_SECTION,
  OVERRIDES_SECTION,
  TRAINER_SECTION,
} from "#launch/fields/verl-data-fields.ts";
import {
  ENGINE_SECTION,
  LAYOUT_SECTION,
  MODEL_SECTION,
  ROLLOUT_SECTION,
} from "#launch/fields/verl-machine-fields.ts";
import {
  KUBERAY_TARGET,
  LOCAL_TARGET,
  RAY_TARGET,
  RUN_SECTION,
} from "#launch/fields/verl-target-fields.ts";
import {
  ALGORITHM_SECTION,
  ASYNC_SECTION,
  BATCH_SECTION,
  LENGTHS_SECTION,
  OPTIM_SECTION,
} from "#launch/fields/verl-training-fields.ts";

type Driver = LaunchSpec["driver"];

export const DRIVERS = [
  { value: "embedded", label: "Embedded" },
  { value: "local-verl", label: "Local verl" },
  { value: "ray-job", label: "Ray job" },
  { value: "kuberay", label: "KubeRay" },
] as const satisfies { value: Driver; label: string }[];

const verl = (target: LaunchSection): readonly LaunchSection[] => [
  RUN_SECTION,
  target,
  ALGORITHM_SECTION,
  ASYNC_SECTION,
  MODEL_SECTION,
  LAYOUT_SECTION,
  ENGINE_SECTION,
  LENGTHS_SECTION,
  BATCH_SECTION,
  OPTIM_SECTION,
  ROLLOUT_SECTION,
  DATA_SECTION,
  TRAINER_SECTION,
  FILTER_SECTION,
  OVERRIDES_SECTION,
  ENVIRONMENT_SECTION,
];

const SECTIONS: Record<Driver, readonly LaunchSection[]> = {
  embedded: EMBEDDED_SECTIONS,
  "local-verl": verl(LOCAL_TARGET),
  "ray-job": verl(RAY_TARGET),
  kuberay: verl(KUBERAY_TARGET),
};

/** The form of a draft, whose driver may be none. */
export function sectionsOf(driver: unknown): readonly LaunchSection[] {
  return SECTIONS[DRIVERS.find(({ value }) => value === driver)?.value ?? "embedded"];
}

export function fieldsOf(driver: unknown): readonly LaunchField[] {
  return sectionsOf(driver).flatMap((section) => section.fields);
}
