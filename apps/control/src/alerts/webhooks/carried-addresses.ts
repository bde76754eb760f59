import { isIPv6 } from "node:net";

/** Bytes of an IPv6 address. */
const SIZE = 16;

/**
 * Where an IPv6 address carries an IPv4 one, by the range that it is of: a gateway or the host itself may take it for that one.
 * RFC 4291 (compatible and mapped), 2765 (translated), 6052 and 8215 (NAT64), 3056 (6to4), 4380 (Teredo: the client's, inverted).
 */
const CARRIERS: readonly {
  range: string;
  bits: number;
  at: readonly (readonly number[])[];
  isInverted?: true;
}[] = [
  { range: "::", bits: 96, at: [[12, 13, 14, 15]] },
  { range: "::ffff:0:0", bits: 96, at: [[12, 13, 14, 15]] },
  { range: "::ffff:0:0:0", bits: 96, at: [[12, 13, 14, 15]] },
  { range: "64:ff9b::", bits: 96, at: [[12, 13, 14, 15]] },
  // The site chooses the prefix's length, and with it where the address stands.
  {
    range: "64:ff9b:1::",
    bits: 48,
    at: [
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
      [12, 13, 14, 15],
    ],
  },
  { range: "2002::", bits: 16, at: [[2, 3, 4, 5]] },
  { range: "2001::", bits: 32, at: [[12, 13, 14, 15]], isInverted: true },
];

/** The IPv4 addresses that an address may stand for beside itself; none of an IPv4 address. */
export function carriedAddresses(address: string): string[] {
  const bytes = bytesOf(address);
  if (bytes === null) return [];
  const carriers = CARRIERS.filter(({ range, bits }) =>
    bytesOf(range)
      ?.slice(0, bits / 8)
      .every((byte, at) => byte === bytes[at]),
  );
  // ISATAP (RFC 5214) stands below any prefix.
  const isIsatap = bytes.slice(9, 12).join() === "0,94,254" && ((bytes[8] ?? 0) & ~2) === 0;
  return [...carriers, ...(isIsatap ? [{ at: [[12, 13, 14, 15]] }] : [])].flatMap((carrier) =>
    carrier.at.map((places) =>
      places
        .map((at) => (bytes[at] ?? 0) ^ ("isInverted" in carrier && carrier.isInverted ? 0xff : 0))
        .join("."),
    ),
  );
}

/** Null of what is no IPv6 address. */
function bytesOf(address: string): number[] | null {
  // A zone names an interface of this machine.
  const [plain = ""] = address.split("%");
  if (!isIPv6(plain)) return null;
  // As the URL standard writes it: hexadecimal groups, at most one run of them left out.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = written
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  const filled = Array<number>(SIZE / 2 - head.length - tail.length).fill(0);
  return [...head, ...filled, ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}
