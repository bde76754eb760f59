import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Sandbox, Terminal } from "#sandboxes/sandbox.ts";
import { AttemptShells, MAX_SHELLS, type NewShell } from "#shells/attempt-shells.ts";

/** Stands in for a sandbox with shells. `docker-sandbox.test.ts` has a real one. */
class SandboxStandIn implements Partial<Sandbox> {
  readonly name = "s";
  closed = 0;
  /** Resolves what opens; null: at once. */
  gate: Promise<void> | null = null;

  async openTerminal(): Promise<Terminal> {
    await this.gate;
    return {
      input: new PassThrough(),
      output: new PassThrough(),
      resize: () => Promise.resolve(),
      close: () => {
        this.closed++;
        return Promise.resolve();
      },
    };
  }
}

const SIZE = { columns: 80, rows: 24 };
function build() {
  const opened: NewShell[] = [];
  const standIn = new SandboxStandIn();
  const shells = new AttemptShells({ onOpened: (shell) => opened.push(shell) });
  const sandbox = standIn as unknown as Sandbox;
  return { shells, sandbox, standIn, opened };
}

it("opens none where there is no sandbox, and marks each that it opens", async () => {
  const { shells, sandbox, opened } = build();
  await expect(shells.openOne("operator", SIZE)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(opened).toEqual([]);
  shells.enter(sandbox);
  await shells.openOne("operator", SIZE);
  expect(opened.map(({ actor }) => actor)).toEqual(["operator"]);
  expect(shells.open).toBe(1);
});

it("opens so many at once, those on their way among them", async () => {
  const { shells, sandbox } = build();
  shells.enter(sandbox);
  const asked = await Promise.allSettled(
    Array.from({ length: MAX_SHELLS + 3 }, () => shells.openOne("operator", SIZE)),
  );
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(MAX_SHELLS);
  expect(shells.isTaking).toBe(false);
  const [one] = asked.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  await one?.close();
  expect(shells.isTaking).toBe(true);
});

it("ends what is open with words, once, when the sandbox is left", async () => {
  const { shells, sandbox, standIn } = build();
  shells.enter(sandbox);
  const shell = await shells.openOne("operator", SIZE);
  await shells.leave("The trial has ended.");
  await shell.close();
  expect(shell.ending.reason).toBe("The trial has ended.");
  expect(standIn.closed).toBe(1);
  expect(shells.open).toBe(0);
  await expect(shells.openOne("operator", SIZE)).rejects.toMatchObject({ code: "CONFLICT" });
});

it("gives no shell whose sandbox was left while it was opened, and marks nothing", async () => {
  const { shells, sandbox, standIn, opened } = build();
  let open = () => undefined as void;
  standIn.gate = new Promise((resolve) => {
    open = resolve;
  });
  shells.enter(sandbox);
  const opening = shells.openOne("operator", SIZE);
  await shells.leave("The trial has ended.");
  open();
  await expect(opening).rejects.toMatchObject({ code: "CONFLICT" });
  expect(standIn.closed).toBe(1);
  expect(opened).toEqual([]);
});
