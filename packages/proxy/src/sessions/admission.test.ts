import { expect, it } from "vitest";
import { ProcessPlan } from "#config/process-plan.ts";
import { Admission, type RefusalReason } from "#sessions/admission.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

async function open(limits: object): Promise<{ door: Admission; refused: RefusalReason[] }> {
  const refused: RefusalReason[] = [];
  const plan = ProcessPlan.parse({ dataDir: await makeTemporaryDirectory("door"), limits });
  const door = await Admission.open(plan.dataDir, plan.limits, (reason) => refused.push(reason));
  return { door, refused };
}

it("takes no session above the memory limit, and goes on with calls", async () => {
  const { door, refused } = await open({ maxMemoryMb: 1 });
  expect(() => door.admitSession(0)).toThrow("more than 1 MB");
  expect(() => door.admitCall()).not.toThrow();
  expect(refused).toEqual(["memory"]);
  door.close();
});

it("takes nothing new while it drains, nor below the free space that it keeps", async () => {
  const { door, refused } = await open({ minFreeDiskMb: 0 });
  expect(door.freeDiskBytes).toBeGreaterThan(0);
  door.admitSession(0);
  door.drain();
  expect(() => door.admitCall()).toThrow("going down");
  expect(() => door.admitSession(0)).toThrow("going down");
  const full = await open({ minFreeDiskMb: 1e9 });
  expect(() => full.door.admitCall()).toThrow("is full");
  expect([...refused, ...full.refused]).toEqual(["draining", "draining", "disk"]);
  door.close();
  full.door.close();
});
