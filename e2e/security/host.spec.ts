import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { attempt, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

interface Entry {
  at: string;
  actor: string | null;
  address: string;
  act: string;
  target: Record<string, string>;
  ok: boolean;
}

async function entries({ dataDir }: LiveRL): Promise<Entry[]> {
  const text = await readFile(join(dataDir, "audit.log"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
}

test("what gives others a way in, changes or deletes is in the audit log, without secrets", async ({
  page,
  liverl,
}) => {
  await page.goto(await liverl.link());
  await page.waitForURL(({ pathname }) => pathname.startsWith("/p/"));
  const read = await tokenOf(liverl, "read");
  const admin = await tokenOf(liverl, "admin");
  await attempt(liverl, "/api/v1/token/create", {
    ...{ token: read, body: { name: "not-mine", scope: "admin" } },
  });
  await attempt(liverl, "/api/v1/run/delete", { token: admin, body: { id: "no-such-run" } });
  await attempt(liverl, "/start?code=guessed");
  const found = await entries(liverl);
  const has = (wanted: Partial<Entry>) =>
    expect(found).toContainEqual(expect.objectContaining({ address: "127.0.0.1", ...wanted }));
  has({ act: "login-links.create", actor: "operator", ok: true });
  has({ act: "browser.signIn", ok: true });
  has({ act: "browser.signIn", ok: false });
  has({ act: "token.create", actor: "operator", ok: true });
  const refused = found.find(
    ({ act, target }) => act === "token.create" && target.name === "not-mine",
  );
  expect(refused).toMatchObject({ ok: false, actor: expect.stringMatching(/^token:attack-read/) });
  expect(
    found.filter(({ act }) => act === "run.delete").map(({ target }) => target),
  ).toContainEqual({
    id: "no-such-run",
  });
  expect(JSON.stringify(found)).not.toContain(admin);
  const { mode } = await stat(join(liverl.dataDir, "audit.log"));
  expect(mode & 0o777).toBe(0o600);
});

/** Says to PostgreSQL who it is (protocol 3.0) and prints the first message of the answer. */
const CONNECT = `
  const socket = require("node:net").connect(process.argv[1]);
  const body = Buffer.from("\\0\\3\\0\\0user\\0postgres\\0database\\0postgres\\0\\0", "latin1");
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length + 4);
  socket.on("error", (error) => { console.log(error.code); process.exit(); });
  socket.write(Buffer.concat([head, body]));
  socket.once("data", (bytes) => {
    const isIn = String.fromCharCode(bytes[0]) === "R" && bytes.readUInt32BE(5) === 0;
    console.log(isIn ? "let in" : "refused");
    process.exit();
  });`;

async function connectAs(uid: number, socket: string): Promise<string> {
  const argv = ["-e", CONNECT, join(socket, ".s.PGSQL.5432")];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { uid, gid: uid, cwd: "/" });
  return stdout.trim();
}

test("another process of the user that PostgreSQL runs as is not its superuser", async ({
  liverl,
}) => {
  test.skip(process.getuid?.() !== 0, "only root may start programs as somebody else");
  const { data } = JSON.parse(await readFile(join(liverl.dataDir, "postgres.json"), "utf8"));
  const folder = isAbsolute(data) ? data : join(liverl.dataDir, data);
  const socket = join(folder, "../postgres-socket");
  const { uid } = await stat(folder);
  expect(uid).not.toBe(0);
  expect(await connectAs(0, socket)).toBe("let in");
  // A folder that it can not enter keeps it out as well.
  expect(["refused", "EACCES"]).toContain(await connectAs(uid, socket));
});
