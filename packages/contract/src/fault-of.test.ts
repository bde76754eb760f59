import { expect, it } from "vitest";
import { faultOf } from "#fault-of.ts";
import { CreateSession, EndOutsideSession, EndSession, PutPool } from "#proxy-admin.ts";

const POOL = {
  engines: [{ url: "http://127.0.0.1:1" }],
  engineKeyPath: null,
  modelDir: "/m",
  modelName: "m",
  maxModelLen: 10,
};

it.each([
  [EndSession, { termination: "late" }, /^termination: Invalid option: expected one of "agent-f/],
  [EndSession, { rewrd: 1 }, /^Unrecognized key: "rewrd"$/],
  [EndSession, { reward: "1" }, /^reward: A reward is a number, or a map of numbers by name/],
  [EndOutsideSession, { rewrd: 1, terminaton: 2 }, /^Unrecognized keys: "rewrd", "terminaton"$/],
  [CreateSession, { attempt: "1", step: "2" }, /^attempt: Invalid .*; step: Invalid [^;]*$/],
  [
    CreateSession,
    { sampling: { temperature: 1, max_tokens: 1, topp: 1 } },
    /^sampling: Unrecognized key: "topp"$/,
  ],
  [PutPool, { ...POOL, realy: true }, /^Unrecognized key: "realy"$/],
  [
    PutPool,
    { ...POOL, engines: [{ url: "http://127.0.0.1:1", apy: "vllm" }] },
    /^engines\[0\]: Unrecognized key: "apy"$/,
  ],
  [PutPool, { ...POOL, engines: [] }, /^engines: A pool needs an engine, or relay: true\.$/],
])("says on one line where an input is wrong: case %#", (schema, input, words) => {
  const { error } = schema.safeParse(input);
  expect(error && faultOf(error)).toMatch(words);
});
