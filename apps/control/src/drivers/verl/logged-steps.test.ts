import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LoggedSteps } from "#drivers/verl/logged-steps.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-steps-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const line = (step: number, data: Record<string, unknown>) => `${JSON.stringify({ step, data })}\n`;

it("counts updates as they are written, and no validation", async () => {
  const path = join(folder, "metrics-1.jsonl");
  const steps = new LoggedSteps(path);
  expect(await steps.last()).toBe(0);
  await writeFile(
    path,
    line(0, { "val-core/a/acc/mean@1": 0.5 }) + line(1, { "actor/pg_loss": null }),
  );
  expect(await steps.last()).toBe(1);
  // fully_async: a rollouter's line of a step comes before the trainer's.
  await appendFile(path, line(2, { "fully_async/rollouter/idle_ratio": 0 }));
  expect(await steps.last()).toBe(1);
  await appendFile(path, `${line(2, { "training/global_step": 3 })}{"step":3,"da`);
  expect(await steps.last()).toBe(2);
  await appendFile(path, 'ta":{"actor/lr":1}}\nnot json\n');
  expect(await steps.last()).toBe(3);
});

it("tells each validation once, by the first of its scores", async () => {
  const path = join(folder, "metrics-2.jsonl");
  const steps = new LoggedSteps(path);
  await writeFile(
    path,
    line(0, { "val-core/b/acc/mean@1": 0.25, "val-core/a/acc/mean@1": 0.5, "val-aux/x": 9 }) +
      line(1, { "actor/pg_loss": 1 }) +
      line(2, { "actor/pg_loss": 1, "val-core/a/acc/mean@1": null }),
  );
  await steps.last();
  expect(steps.takeEvaluations()).toEqual([{ step: 0, key: "val-core/a/acc/mean@1", value: 0.5 }]);
  expect(steps.takeEvaluations()).toEqual([]);
  await appendFile(path, line(3, { "val-core/a/acc/mean@1": 0.75 }));
  expect(await steps.last()).toBe(2);
  expect(steps.takeEvaluations()).toEqual([{ step: 3, key: "val-core/a/acc/mean@1", value: 0.75 }]);
});
