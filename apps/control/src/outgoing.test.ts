import { expect, test } from "vitest";
import { guardedLookup, refuseBarred } from "#outgoing.ts";

test.each([
  "http://169.254.169.254/latest",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://169.254.1",
  "http://[::ffff:169.254.169.254]:8265",
  "http://[fd00:ec2::254]",
  "http://[fe80::1]",
  "http://[64:ff9b::a9fe:a9fe]",
])("%s is not connected to", (url) => {
  expect(() => refuseBarred(url)).toThrow(/keys/);
});

test.each(["http://127.0.0.1:8265", "http://10.0.0.5", "https://ray.internal", "http://[::1]"])(
  "%s may be a cluster",
  (url) => expect(() => refuseBarred(url)).not.toThrow(),
);

test("a name is looked at as it is resolved", async () => {
  const resolved = await new Promise((resolve) =>
    guardedLookup("localhost", { all: true }, (error, found) => resolve(error ?? found)),
  );
  expect(resolved).toEqual(expect.arrayContaining([expect.objectContaining({ family: 4 })]));
});
