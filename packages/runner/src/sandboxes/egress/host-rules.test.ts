import { expect, it } from "vitest";
import { HostRules } from "#sandboxes/egress/host-rules.ts";

const rules = new HostRules([
  ...["pypi.org", "*.pythonhosted.org", "10.1.2.3", "192.168.4.0/24", "2001:db8::/32"],
  ...["127.0.0.1", "203.0.113.9"],
]);

it.each([
  ["pypi.org", true],
  ["PyPI.org.", true],
  ["www.pypi.org", false],
  ["notpypi.org", false],
  ["pypi.org.evil.example", false],
  ["files.pythonhosted.org", true],
  ["a.b.pythonhosted.org", true],
  ["pythonhosted.org", false],
  ["evilpythonhosted.org", false],
  ["10.1.2.3", true],
  ["10.1.2.4", false],
  ["192.168.4.77", true],
  ["2001:db8::5", true],
  ["2001:db9::5", false],
  ["::ffff:10.1.2.3", true],
  ["", false],
])("%s may be asked for: %s", (host, isAllowed) => {
  expect(rules.allowsHost(host)).toBe(isAllowed);
});

it.each([
  ["93.184.216.34", true],
  ["203.0.113.9", true],
  ["2606:2800:220:1::1", true],
  // Of this machine, also where a task lists it.
  ["127.0.0.1", false],
  ["127.8.9.1", false],
  ["0.0.0.0", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  // Where clouds keep the keys of a machine.
  ["169.254.169.254", false],
  ["fe80::1", false],
  // Of its network: where it is listed alone.
  ["10.1.2.3", true],
  ["10.1.2.4", false],
  ["192.168.4.9", true],
  ["192.168.5.9", false],
  ["172.17.0.1", false],
  ["fd00::1", false],
])("a name that leads to %s is let through: %s", (address, isAllowed) => {
  expect(rules.allowsAddress(address)).toBe(isAllowed);
});
