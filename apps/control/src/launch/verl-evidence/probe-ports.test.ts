import { createServer } from "node:net";
import { expect, test } from "vitest";
import { probePorts, probeProxyAddress } from "#launch/verl-evidence/probe-ports.ts";

test("a port that somebody listens on is none for the run, and a free one is", async () => {
  const taken = createServer().listen(0, "0.0.0.0");
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const spec = {
    overrides: { "+ray_kwargs.ray_init.dashboard_port": port },
    env: { MASTER_PORT: String(port), OTHER_PORT: "1" },
  };
  const path = "overrides.+ray_kwargs.ray_init.dashboard_port";
  expect(await probePorts(spec)).toEqual([
    { path, port, isFree: false },
    { path: "env.MASTER_PORT", port, isFree: false },
  ]);
  await new Promise((resolve) => taken.close(resolve));
  expect((await probePorts(spec)).map(({ isFree }) => isFree)).toEqual([true, true]);
  expect(await probePorts({ overrides: {}, env: { MASTER_PORT: "many" } })).toEqual([]);
});

test("this host's own address takes a proxy, or the reason says what to set", async () => {
  const fault = await probeProxyAddress(undefined);
  if (fault !== null) expect(fault).toMatch(/LLM_PROXY_IP|listen/);
  else expect(await probeProxyAddress("10.0.0.5")).toBeNull();
});
