import { BlockList, isIP, isIPv6 } from "node:net";
import { kindOfAllowedHost } from "@liverl/durable/tasks/allowed-hosts";

/** Of this machine alone, or of nobody: RFC 6890 and RFC 4291. Never reached, whatever a task lists. */
const NEVER = rangesOf([
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"],
  ...["::/128", "::1/128", "fe80::/10", "ff00::/8"],
]);
/** Of the network that this machine is in: reached only where a task lists the address itself. */
const PRIVATE = rangesOf([
  ...["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
]);

/** What `allowed_hosts` of a task lets through. */
export class HostRules {
  readonly #names: ReadonlySet<string>;
  readonly #wildcards: readonly string[];
  readonly #listed: BlockList;

  /** Entries as `normalizeAllowedHost` gives them. */
  constructor(entries: readonly string[]) {
    const of = (kind: ReturnType<typeof kindOfAllowedHost>) =>
      entries.filter((entry) => kindOfAllowedHost(entry) === kind);
    this.#names = new Set(of("hostname"));
    this.#wildcards = of("wildcard").map((entry) => entry.slice(1));
    this.#listed = rangesOf([...of("range"), ...of("address")]);
  }

  /** A name, or an address, that a client asks for. `*.example.org` is every name below, and not `example.org`. */
  allowsHost(host: string): boolean {
    if (isIP(host) !== 0) return isIn(this.#listed, host);
    const name = host.toLowerCase().replace(/\.$/, "");
    return this.#names.has(name) || this.#wildcards.some((suffix) => name.endsWith(suffix));
  }

  /** What an allowed host stands for: no name may lead to this machine, or into its network unless that is listed. */
  allowsAddress(address: string): boolean {
    if (isIn(NEVER, address)) return false;
    return !isIn(PRIVATE, address) || isIn(this.#listed, address);
  }
}

function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** IPv4 written as IPv6 is checked as the IPv4 address that it is: `BlockList` does so itself. */
const isIn = (list: BlockList, address: string) =>
  list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
