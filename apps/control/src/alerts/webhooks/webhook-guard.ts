import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { AppError } from "@liverl/contract/app-error";
import { carriedAddresses } from "#alerts/webhooks/carried-addresses.ts";

export interface Place {
  address: string;
  family: 4 | 6;
}
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Not of the internet, by IANA's registries of special-purpose addresses (RFC 6890 and after). */
const PRIVATE = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  // Those that carry an IPv4 address inside (SIIT, NAT64, 6to4, Teredo) would be a way around the list above.
  ...[
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/32",
    "2001:db8::/32",
  ],
  ...["2002::/16", "fc00::/7", "fec0::/10", "ff00::/8"],
];
/** Where clouds answer with a machine's own keys: no list of an operator opens these. */
const LINK_LOCAL = ["169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128"];

const privateRanges = rangesOf(PRIVATE);
const linkLocal = rangesOf(LINK_LOCAL);

/**
 * The address that a webhook may be sent to. All addresses of its host are looked at, and the one that is answered is the one to
 * connect to: a second look-up could say another. Throws FORBIDDEN with what to do, UNAVAILABLE when the name can not be resolved.
 */
export async function placeOfWebhook(
  url: URL,
  allowed: readonly string[],
  resolve: Resolve = resolveHost,
): Promise<Place> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const listed = rangesOf(allowed.filter((entry) => isIP(entry.split("/")[0] ?? "") !== 0));
  const isNamed = allowed.includes(host.toLowerCase());
  let isOnSite = false;
  for (const address of addresses) {
    if (leadsInto(linkLocal, address))
      throw refusal(host, address, "there clouds keep a machine's keys");
    const isListed = isNamed || has(listed, address);
    if (leadsInto(privateRanges, address) && !isListed)
      throw refusal(
        host,
        address,
        `an operator can allow it: start LiveRL with LIVERL_WEBHOOK_ALLOW=${host}`,
      );
    isOnSite ||= isListed;
  }
  if (url.protocol !== "https:" && !isOnSite)
    throw new AppError("FORBIDDEN", {
      userMessage: `${host} would get alerts over http, readable on the way: give an https address.`,
    });
  const [address] = addresses;
  if (address === undefined) throw away(host);
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

/**
 * The address of an engine's host, which is the one to connect to. Engines stand on private networks; throws FORBIDDEN where clouds
 * answer with a machine's keys, UNAVAILABLE when the name can not be resolved.
 */
export async function placeOfEngine(url: URL, resolve: Resolve = resolveHost): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.some((address) => leadsInto(linkLocal, address)))
    throw new AppError("FORBIDDEN", {
      userMessage: `${host} is where clouds keep a machine's keys, and no engine's address.`,
    });
  const [address] = addresses;
  if (address === undefined) throw away(host);
  return address;
}

const refusal = (host: string, address: string, why: string) =>
  new AppError("FORBIDDEN", {
    userMessage: `${host} leads to ${address}, which is not on the internet: nothing is sent there; ${why}.`,
  });

const away = (host: string, cause?: unknown) =>
  new AppError("UNAVAILABLE", { userMessage: `The name ${host} can not be resolved.`, cause });

async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true }).catch((error: unknown) => {
    throw away(host, error);
  });
  return found.map(({ address }) => address);
}

function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

/** Whether clouds answer there with a machine's own keys. */
export const isWhereKeysAre = (address: string) => leadsInto(linkLocal, address);

const leadsInto = (list: BlockList, address: string) =>
  [address, ...carriedAddresses(address)].some((one) => has(list, one));

/** IPv4 written as IPv6 is checked as the IPv4 address that it is: `BlockList` does so itself. */
const has = (list: BlockList, address: string) =>
  list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
