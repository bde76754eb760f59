import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";

/** Protobuf's JSON writes a 64-bit integer as text or as a number: https://protobuf.dev/programming-guides/json. */
export const Int64 = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,19}$/)
      .transform(Number),
  ])
  .refine(Number.isInteger, "not a whole number");

/** Clients send the run's id under both names; older ones under the second alone. */
export const RunRef = z.object({
  run_id: z.string().max(300).nullish(),
  run_uuid: z.string().max(300).nullish(),
});

export function runKeyOf(ref: z.infer<typeof RunRef>): string {
  const key = ref.run_id || ref.run_uuid;
  if (key) return key;
  throw new AppError("BAD_REQUEST", { userMessage: "run_id is missing." });
}

/** A NUL, which PostgreSQL's text can not hold. */
const storable = (text: string) => !text.includes("\0");
/** MLflow's limits of names and values: https://mlflow.org/docs/latest/rest-api.html. */
const MAX_KEY_LENGTH = 250;
const MAX_VALUE_LENGTH = 6_000;

/** A param or a tag. */
export const Entry = z.object({
  key: z.string().min(1).max(MAX_KEY_LENGTH).refine(storable, "a NUL in the key"),
  value: z
    .string()
    .max(MAX_VALUE_LENGTH)
    .refine(storable, "a NUL in the value")
    .nullish()
    .transform((value) => value ?? ""),
});
export type Entry = z.infer<typeof Entry>;
