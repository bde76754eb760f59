import { expect, test } from "vitest";
import { faultOfFile, readAnswer } from "#runs/upload-archive.ts";

test("an import's answer names the run, a refusal keeps its words", () => {
  const made = { id: "a-01", project: "p" };
  expect(readAnswer(200, JSON.stringify(made))).toEqual(made);
  const refused = JSON.stringify({ error: { code: "CONFLICT", message: "It is here already." } });
  expect(() => readAnswer(409, refused)).toThrow("It is here already.");
  expect(() => readAnswer(502, "<html>")).toThrow("LiveRL answered with 502 and no reason.");
});

test("a file that can be no archive is not sent", () => {
  expect(faultOfFile({ name: "run.tar.gz", size: 5 })).toBeNull();
  expect(faultOfFile({ name: "run.TGZ", size: 5 })).toBeNull();
  expect(faultOfFile({ name: "run.tar.gz", size: 0 })).toContain("empty");
  expect(faultOfFile({ name: "run.zip", size: 5 })).toContain("run.zip is no .tar.gz");
});
