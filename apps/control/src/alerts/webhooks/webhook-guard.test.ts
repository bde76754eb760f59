import { describe, expect, test } from "vitest";
import { placeOfEngine, placeOfWebhook } from "#alerts/webhooks/webhook-guard.ts";

const PUBLIC = "93.184.215.14";
/** Stands in for DNS. */
const names: Record<string, string[]> = {
  "hooks.example": [PUBLIC],
  "six.example": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "inside.example": ["10.1.2.3"],
  // One good address does not make up for a bad one.
  "two.example": [PUBLIC, "127.0.0.1"],
  "keys.example": ["169.254.169.254"],
};
const resolve = async (host: string) => names[host] ?? [];
const place = (url: string, allowed: string[] = []) =>
  placeOfWebhook(new URL(url), allowed, resolve);

describe("placeOfWebhook", () => {
  test("gives the address that was looked at", async () => {
    expect(await place("https://hooks.example/a")).toEqual({ address: PUBLIC, family: 4 });
    expect(await place("https://six.example/a")).toMatchObject({ family: 6 });
  });

  test.each([
    "https://inside.example",
    "https://two.example",
    "https://127.0.0.1",
    "https://2130706433",
    "https://0x7f.1",
    "https://0.0.0.0",
    "https://10.0.0.1",
    "https://172.31.255.255",
    "https://192.168.1.1",
    "https://100.64.0.1",
    "https://224.0.0.1",
    "https://255.255.255.255",
    "https://[::1]",
    "https://[::]",
    "https://[::ffff:127.0.0.1]",
    "https://[::127.0.0.1]",
    "https://[64:ff9b::7f00:1]",
    "https://[::ffff:0:127.0.0.1]",
    "https://[2002:7f00:1::]",
    "https://[fc00::1]",
    "https://[fd12:3456::1]",
  ])("refuses %s, and says how it could be allowed", async (url) => {
    await expect(place(url)).rejects.toMatchObject({
      code: "FORBIDDEN",
      userMessage: expect.stringContaining("LIVERL_WEBHOOK_ALLOW"),
    });
  });

  test.each([
    "https://169.254.169.254/latest/meta-data",
    "https://keys.example",
    "https://[fe80::1]",
    "https://[fd00:ec2::254]",
    "https://[::ffff:169.254.169.254]",
    "https://[::ffff:0:169.254.169.254]",
    "https://[64:ff9b::a9fe:a9fe]",
  ])("refuses %s also when it is allowed", async (url) => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
    await expect(place(url, [host, "169.254.0.0/16", "fe80::/10", "fd00::/8"])).rejects.toThrow(
      /keys/,
    );
  });

  test.each([
    ["http://inside.example:8080/x", "inside.example", "10.1.2.3"],
    ["http://inside.example", "10.1.0.0/16", "10.1.2.3"],
    ["http://127.0.0.1:9000", "127.0.0.1", "127.0.0.1"],
    ["http://[::1]:9000", "::1", "::1"],
  ])("lets %s through where %s is allowed, http too", async (url, entry, address) => {
    expect(await place(url, [entry])).toMatchObject({ address });
    await expect(place(url, ["10.2.0.0/16", "other.example"])).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  test("alerts do not go over the internet in the clear", async () => {
    await expect(place("http://hooks.example/a")).rejects.toThrow(/https/);
  });

  test("a name without an address is away, not forbidden", async () => {
    await expect(place("https://none.example")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("placeOfEngine", () => {
  const engine = (url: string) => placeOfEngine(new URL(url), resolve);

  test.each([
    ["http://127.0.0.1:8000", "127.0.0.1"],
    ["http://[::1]:8000", "::1"],
    ["http://10.0.0.5:8000", "10.0.0.5"],
    ["http://inside.example:8000", "10.1.2.3"],
  ])("gives %s as %s: engines stand on private networks", async (url, address) => {
    expect(await engine(url)).toBe(address);
  });

  test.each([
    "http://169.254.169.254",
    "http://keys.example",
    "http://[fe80::1]",
    "http://[fd00:ec2::254]",
    "http://[::ffff:169.254.169.254]",
    "http://[::ffff:0:169.254.169.254]",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://[2002:a9fe:a9fe::]",
  ])("refuses %s", async (url) => {
    await expect(engine(url)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("a name without an address is away", async () => {
    await expect(engine("http://none.example")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
