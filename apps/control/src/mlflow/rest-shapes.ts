import { AppError } from "@liverl/contract/app-error";
import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";
import { storableText } from "#trackers/json-text.ts";

/** Protobuf's JSON writes a 64-bit integer as text or as a number: https://protobuf.dev/programming-guides/json. */
export const Int64 = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,19}$/)
      .transform(Number),
  ])
  .refine(Number.isInteger, "not a whole number")
  .refine((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER, "too large a number");

/** How many of something one answer has at most. */
export const MaxResults = Int64.refine(
  (count) => count >= 0,
  "must be a positive integer",
).nullish();

/** Clients send the run's id under both names; older ones under the second alone. */
const RunId = z.string().max(300).refine(isStorable, notStorable).nullish();
export const RunRef = z.object({ run_id: RunId, run_uuid: RunId });

export function runKeyOf(ref: z.infer<typeof RunRef>): string {
  const key = ref.run_id || ref.run_uuid;
  if (key) return key;
  throw new AppError("BAD_REQUEST", { userMessage: "run_id is missing." });
}

/** MLflow's limits of names and values: https://mlflow.org/docs/latest/rest-api.html. */
const MAX_KEY_LENGTH = 250;
const MAX_VALUE_LENGTH = 6_000;

/** A param or a tag. A trainer should not fail for a character in one, so what can not be stored is replaced. */
export const Entry = z.object({
  key: z.string().min(1).max(MAX_KEY_LENGTH).transform(storableText),
  value: z
    .string()
    .max(MAX_VALUE_LENGTH)
    .nullish()
    .transform((value) => storableText(value ?? "")),
});
export type Entry = z.infer<typeof Entry>;
