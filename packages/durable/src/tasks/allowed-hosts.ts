import { isIP, isIPv4, isIPv6 } from "node:net";
import { trimEnd } from "@liverl/contract/trim-end";

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_A_HOST =
  "must be a hostname, an IP address or a CIDR range, not a URL, and without port or path";

export type AllowedHostKind = "hostname" | "wildcard" | "address" | "range";

/** Which kind an entry is that {@link normalizeAllowedHost} gave. */
export function kindOfAllowedHost(entry: string): AllowedHostKind {
  if (entry.startsWith("*.")) return "wildcard";
  if (entry.includes("/")) return "range";
  return isIP(entry) === 0 ? "hostname" : "address";
}

/** An entry of `allowed_hosts` in one spelling, or what is wrong with it. */
export function normalizeAllowedHost(entry: string): { host: string } | { fault: string } {
  const host = trimEnd(entry.trim().toLowerCase(), ".");
  if (host === "") return { fault: "must not be empty" };
  if (host.includes("/")) return found(normalizeRange(host));
  if (host.includes(":")) return found(isPlainIPv6(host) ? compressIPv6(host) : null);
  if (/[[\]]/.test(host)) return { fault: NOT_A_HOST };
  const isWildcard = host.startsWith("*.");
  const name = isWildcard ? host.slice(2) : host;
  if (name.includes("*")) return { fault: 'must have its wildcard as "*." at the beginning' };
  if (isWildcard && isIPv4(name))
    return { fault: "must have a hostname after its wildcard, not an address" };
  return name.split(".").every((label) => LABEL.test(label))
    ? { host }
    : { fault: "must have only letters, digits, hyphens and dots" };
}

/** Without a zone, which means nothing on another machine. */
const isPlainIPv6 = (address: string) => isIPv6(address) && !address.includes("%");
const found = (host: string | null) => (host === null ? { fault: NOT_A_HOST } : { host });

/** RFC 4632 and 4291: the network's own address, no bit set after the prefix. */
function normalizeRange(range: string): string | null {
  const [address = "", prefixText = "", ...rest] = range.split("/");
  if (rest.length > 0) return null;
  if (isIPv4(address)) {
    const prefix = prefixOf(prefixText);
    return prefix !== null && isNetwork(bitsOfIPv4(address), prefix, 32)
      ? `${address}/${prefix}`
      : null;
  }
  if (!isPlainIPv6(address) || !/^\d+$/.test(prefixText)) return null;
  return isNetwork(bitsOfIPv6(address), Number(prefixText), 128)
    ? `${compressIPv6(address)}/${Number(prefixText)}`
    : null;
}

/** Of IPv4: a length, a netmask or, as Python reads it, a host mask. */
function prefixOf(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  if (!isIPv4(text)) return null;
  const bits = bitsOfIPv4(text).toString(2).padStart(32, "0");
  if (/^1*0*$/.test(bits)) return bits.lastIndexOf("1") + 1;
  return /^0*1*$/.test(bits) ? bits.indexOf("1") : null;
}

function isNetwork(bits: bigint, prefix: number, width: number): boolean {
  return prefix <= width && (bits & ((1n << BigInt(width - prefix)) - 1n)) === 0n;
}

const bitsOfIPv4 = (address: string) =>
  address.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);

const bitsOfIPv6 = (address: string) =>
  groupsOf(address).reduce((bits, group) => (bits << 16n) | BigInt(group), 0n);

/** The eight groups of an address that `isIPv6` took. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string) =>
    part === ""
      ? []
      : part.split(":").flatMap((group) => {
          if (!group.includes(".")) return [Number.parseInt(group, 16)];
          const bits = Number(bitsOfIPv4(group));
          return [bits >>> 16, bits & 0xffff];
        });
  const [before, after] = [read(head), read(tail ?? "")];
  return [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
}

/** RFC 5952: lower case, no leading zeros, the first longest run of zeros as `::`. */
function compressIPv6(address: string): string {
  const groups = groupsOf(address).map((group) => group.toString(16));
  let longest = { at: -1, length: 1 };
  for (let at = 0; at < groups.length; at++) {
    let length = 0;
    while (groups[at + length] === "0") length++;
    if (length > longest.length) longest = { at, length };
  }
  if (longest.at < 0) return groups.join(":");
  const before = groups.slice(0, longest.at).join(":");
  return `${before}::${groups.slice(longest.at + longest.length).join(":")}`;
}
