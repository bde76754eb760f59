import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";
import type { TemplateWish } from "#dialects/dialect.ts";
import { ModelError } from "#dialects/model-error.ts";

const Kwargs = z.record(z.string(), z.unknown()).nullish();
const Scalar = z.union([z.string().max(10_000), z.number(), z.boolean()]);
/** Qwen and GLM call it the first, DeepSeek the second. */
const THINKING = ["enable_thinking", "thinking"];
const EFFORTS = ["low", "medium", "high"];
const MAX_VALUES = 32;

/** vLLM's `chat_template_kwargs`, and `enable_thinking` as DashScope has it. Throws ModelError. */
export function templateWishes(body: ReadBody): TemplateWish[] {
  const field = "chat_template_kwargs";
  const kwargs = Kwargs.safeParse(body.field(field));
  if (!kwargs.success) throw ModelError.invalid(field, `${field} must be an object.`);
  const entries = Object.entries(kwargs.data ?? {}).filter(([, value]) => value !== null);
  if (entries.length > MAX_VALUES)
    throw ModelError.invalid(field, `At most ${MAX_VALUES} variables can be set.`);
  const wishes = entries.map(([name, value]) => {
    const scalar = Scalar.safeParse(value);
    if (!scalar.success)
      throw ModelError.invalid(
        `${field}.${name}`,
        "Only strings, numbers and booleans can be set.",
      );
    return { field: `${field}.${name}`, names: [name], value: scalar.data };
  });
  const enabled = body.field("enable_thinking");
  return typeof enabled === "boolean"
    ? [...wishes, { field: "enable_thinking", names: THINKING, value: enabled }]
    : wishes;
}

/** How much a client wants the model to think, in OpenAI's words; `none` is no thought. */
export function effortWish(field: string, effort: unknown): TemplateWish[] {
  if (effort === "none") return [{ field, names: THINKING, value: false }];
  if (typeof effort !== "string") return [];
  return [{ field, names: EFFORTS.includes(effort) ? ["reasoning_effort"] : [], value: effort }];
}

/** Anthropic's `thinking`; `adaptive` leaves it to the model. */
export function thinkingWish(thinking: unknown): TemplateWish[] {
  const type = z.looseObject({ type: z.string() }).safeParse(thinking).data?.type;
  if (type !== "enabled" && type !== "disabled") return [];
  return [{ field: "thinking", names: THINKING, value: type === "enabled" }];
}
