import { expect, it } from "vitest";
import { nullIfMissing, toDockerError } from "#sandboxes/docker/docker-error.ts";

const typeOf = (fault: Error) => toDockerError(fault, "do this");
const of = (message: string, more: object) => Object.assign(new Error(message), more);

it("tells a daemon that is away from one that refuses", () => {
  const away = { exceptionType: "SandboxUnavailableError" };
  expect(
    typeOf(of("connect ENOENT /x.sock", { code: "ENOENT", syscall: "connect" })),
  ).toMatchObject(away);
  expect(typeOf(of("socket hang up", { code: "ECONNRESET" }))).toMatchObject(away);
  expect(typeOf(of("read ECONNRESET", { code: "ECONNRESET", syscall: "read" }))).toMatchObject(
    away,
  );
  expect(typeOf(of("(HTTP code 500)", { statusCode: 500 }))).toMatchObject({
    exceptionType: "SandboxError",
  });
});

it("says which certificates are not trusted", () => {
  const untrusted = of("self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(typeOf(untrusted)).toMatchObject({
    exceptionType: "SandboxError",
    userMessage: expect.stringContaining("DOCKER_CERT_PATH"),
  });
});

it("keeps a missing file of this host apart", () => {
  const missing = of("ENOENT: no such file", { code: "ENOENT", syscall: "open" });
  expect(typeOf(missing)).toMatchObject({ exceptionType: "SandboxError" });
});

it("names the daemon's full disk, and not that of this host", () => {
  const text = "write /tests: no space left on device";
  expect(typeOf(of(text, { statusCode: 500 }))).toMatchObject({
    exceptionType: "SandboxDiskFullError",
    userMessage: expect.stringContaining("docker system df"),
  });
  const own = of("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" });
  expect(typeOf(own)).toMatchObject({ exceptionType: "SandboxError", cause: own });
});

it("takes nothing for there being nothing, and a container that is gone for a fault", () => {
  expect(
    nullIfMissing(
      of("(HTTP code 404) no such container - Could not find the file", { statusCode: 404 }),
    ),
  ).toBeNull();
  const gone = of("(HTTP code 404) no such container - No such container: box", {
    statusCode: 404,
  });
  expect(() => nullIfMissing(gone)).toThrow(gone);
});
