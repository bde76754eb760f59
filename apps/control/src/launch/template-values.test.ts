import { expect, it } from "vitest";
import { templateValuesOf } from "#launch/template-values.ts";

it.each([
  [{ "+data.apply_chat_template_kwargs": "{enable_thinking:false}" }, { enable_thinking: false }],
  [
    { "data.apply_chat_template_kwargs": "{enable_thinking: False, mode: 'x'}" },
    { enable_thinking: false, mode: "x" },
  ],
  [{ "++data.apply_chat_template_kwargs": '{"enable_thinking": true}' }, { enable_thinking: true }],
  [
    { "+data.apply_chat_template_kwargs": { enable_thinking: false, budget: 3 } },
    { enable_thinking: false, budget: 3 },
  ],
  [{ "+data.apply_chat_template_kwargs.enable_thinking": false }, { enable_thinking: false }],
  [{ "~data.apply_chat_template_kwargs": "{enable_thinking:false}" }, undefined],
  [{ "+data.apply_chat_template_kwargs": {} }, undefined],
  [{ "data.shuffle": false }, undefined],
])("reads %j", (overrides, values) => {
  expect(templateValuesOf({ overrides })).toEqual({ values, unread: [] });
});

it.each([
  [{ "+data.apply_chat_template_kwargs": { tools: [1] } }],
  [{ "+data.apply_chat_template_kwargs": "enable_thinking" }],
])("names what it cannot read: %j", (overrides) => {
  const [key] = Object.keys(overrides);
  expect(templateValuesOf({ overrides })).toEqual({
    values: undefined,
    unread: [`overrides.${key}`],
  });
});
