import type { IntegrityFlag } from "@liverl/contract/rollout";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";

/** What a sandbox did on its network. */
export interface NetworkUse {
  /** `address:port (protocol)` that it was seen connected to, 127.0.0.1 left out; one that lasted for a moment may not be among them. */
  peers: readonly string[];
  /** Addresses beside it that it exchanged packets with: the way to all others leads by one of them, so none means that it spoke to nobody over IPv4. */
  neighbours: readonly string[];
  /** Of all its interfaces but the loopback one; null where they could not be asked for. */
  bytes: { received: number; sent: number } | null;
}

/** What a network sends to whoever is in it: ARP, neighbour discovery. */
const NOISE_BYTES = 8 * 1024;

/** What came after: a set-up of the task's own may have used the network before its agent. Pure. */
export function useSince(use: NetworkUse, before: NetworkUse | null): NetworkUse {
  if (before === null) return use;
  return {
    peers: use.peers.filter((peer) => !before.peers.includes(peer)),
    neighbours: use.neighbours.filter((address) => !before.neighbours.includes(address)),
    bytes: use.bytes && {
      received: Math.max(0, use.bytes.received - (before.bytes?.received ?? 0)),
      sent: Math.max(0, use.bytes.sent - (before.bytes?.sent ?? 0)),
    },
  };
}

/** Pure. */
export function judgeNetwork({ peers, neighbours, bytes }: NetworkUse): IntegrityFlag[] {
  const isLoud = bytes !== null && bytes.received > NOISE_BYTES;
  if (peers.length === 0 && neighbours.length === 0 && !isLoud) return [];
  const amount = bytes && `received ${bytes.received} bytes, sent ${bytes.sent}`;
  return [
    {
      kind: "network-used",
      evidence: boundedEvidence([
        ...(amount === null ? [] : [amount]),
        ...neighbours.map((address) => `exchanged packets by way of ${address}`),
        ...peers.map((peer) => `connected to ${peer}`),
      ]),
    },
  ];
}

/**
 * The remote ends of sockets as Linux writes them in `/proc/net/tcp` and its like, `protocol TAB HEX:PORT` a line. Those of
 * nobody and of the loopback network are left out. Pure.
 */
export function readPeers(lines: string): string[] {
  const peers = lines.split("\n").flatMap((line) => {
    const [, protocol, hex = "", port = ""] =
      /^(tcp6?|udp6?)\t([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(line.trim()) ?? [];
    if (protocol === undefined || port === "0000") return [];
    const address = addressOf(hex);
    return address === null
      ? []
      : [`${address}:${Number.parseInt(port, 16)} (${protocol.slice(0, 3)})`];
  });
  return [...new Set(peers)];
}

/** Of an IPv4 address in IPv6: RFC 4291 §2.5.5.2. */
const MAPPED = "0,0,0,0,0,0,0,0,0,0,255,255";

/** Addresses of `/proc/net/arp` that answered; Linux keeps so few of them for good, and who has no privilege can not delete one. Pure. */
export function readNeighbours(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [, address] = /^(\d+\.\d+\.\d+\.\d+)\s+0x\d+\s+0x(?!0\s)/.exec(line) ?? [];
    return address ?? [];
  });
}

/** Words of 32 bits in the order of the machine, which is little-endian wherever Docker runs. */
function addressOf(hex: string): string | null {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  );
  const isMapped = bytes.length === 16 && bytes.slice(0, 12).join() === MAPPED;
  const four = bytes.length === 4 ? bytes : isMapped ? bytes.slice(12) : null;
  if (four) return four[0] === 0 || four[0] === 127 ? null : four.join(".");
  if (bytes.slice(0, 15).every((byte) => byte === 0)) return null;
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return `[${groups.join(":")}]`;
}
