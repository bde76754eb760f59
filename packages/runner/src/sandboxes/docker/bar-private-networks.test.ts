import { expect, it } from "vitest";
import { barringScript, parseReach } from "#sandboxes/docker/bar-private-networks.ts";

it("reads the addresses that the operator names, and none of a metadata service", () => {
  expect(parseReach("1.1.1.1, 10.0.0.2", "")).toEqual({
    resolvers: ["1.1.1.1", "10.0.0.2"],
    allowed: [],
  });
  expect(() => parseReach("169.254.169.254", "")).toThrow(/none of 169\.254/);
  expect(() => parseReach("1.1.1.1; reboot", "")).toThrow(/name IP addresses/);
  expect(() => parseReach("", "10.0.0.0/8")).toThrow(/name IP addresses/);
});

it("bars what pods are barred from, and opens what is named by its address alone", () => {
  const lines = barringScript({ resolvers: ["1.1.1.1"], allowed: ["10.0.0.9"] }).split("\n");
  for (const range of [
    "10.0.0.0/8",
    "100.64.0.0/10",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
  ])
    expect(lines).toContain(`ip route add unreachable ${range}`);
  const opened = lines.filter((line) => line.includes(' via "$gateway" dev "$device" onlink'));
  expect(opened.map((line) => line.split(" ")[3])).toEqual(["default", "1.1.1.1", "10.0.0.9"]);
});
