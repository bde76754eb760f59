import type { NetworkInterfaceInfo } from "node:os";
import { expect, it } from "vitest";
import { advertisedHost, urlOf } from "#config/advertised-host.ts";

const address = (text: string, family: "IPv4" | "IPv6", internal = false) =>
  ({ address: text, family, internal }) as NetworkInterfaceInfo;
const INTERFACES = {
  lo: [address("127.0.0.1", "IPv4", true)],
  eth0: [address("fe80::1", "IPv6"), address("169.254.1.1", "IPv4"), address("10.1.2.3", "IPv4")],
  eth1: [address("10.9.9.9", "IPv4")],
};

it.each([
  ["127.0.0.1", null, "127.0.0.1"],
  ["0.0.0.0", null, "10.1.2.3"],
  ["0.0.0.0", "auto", "10.1.2.3"],
  ["10.9.9.9", null, "10.9.9.9"],
  ["0.0.0.0", "proxy.training", "proxy.training"],
])("serves on %s and advertises %s as %s", (host, advertise, expected) => {
  expect(advertisedHost({ host, advertise }, INTERFACES)).toBe(expected);
});

it("says so where there is no address to advertise", () => {
  expect(() => advertisedHost({ host: "::", advertise: "auto" }, { lo: INTERFACES.lo })).toThrow(
    "no IPv4 address",
  );
});

it("writes URLs of hosts, of IPv6 addresses, and of whole URLs", () => {
  expect(urlOf("10.1.2.3", 80)).toBe("http://10.1.2.3:80");
  expect(urlOf("::1", 80)).toBe("http://[::1]:80");
  expect(urlOf("https://proxy.example/agents/", 80)).toBe("https://proxy.example/agents");
});
