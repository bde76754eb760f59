import { expect, test } from "vitest";
import { carriedAddresses } from "#alerts/webhooks/carried-addresses.ts";

test.each([
  ["::127.0.0.1", "127.0.0.1"],
  ["::ffff:169.254.169.254", "169.254.169.254"],
  ["::ffff:0:169.254.169.254", "169.254.169.254"],
  ["64:ff9b::a9fe:a9fe", "169.254.169.254"],
  ["64:ff9b:1::a9fe:a9fe", "169.254.169.254"],
  ["64:ff9b:1:a9fe:a9:fe00::", "169.254.169.254"],
  ["2002:a9fe:a9fe::1", "169.254.169.254"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "192.0.2.45"],
  ["2001:db8::5efe:169.254.169.254", "169.254.169.254"],
  ["fe80::200:5efe:a00:1%eth0", "10.0.0.1"],
])("%s carries %s", (address, inside) => {
  expect(carriedAddresses(address)).toContain(inside);
});

test.each(["10.0.0.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fd00::a9fe:a9fe", "no address"])(
  "%s carries none",
  (address) => {
    expect(carriedAddresses(address)).toEqual([]);
  },
);
