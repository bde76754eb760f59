import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { AppError } from "@liverl/contract/app-error";
import { Agent } from "undici";
import { isWhereKeysAre } from "#alerts/webhooks/webhook-guard.ts";

/**
 * The guard of every connection that a launch or its plan makes. Clusters and engines stand on private networks, so those are
 * allowed; the addresses where clouds answer with a machine's own keys are not.
 */
const barred = (host: string) =>
  new AppError("FORBIDDEN", {
    userMessage: `${host} is where clouds keep a machine's keys: LiveRL does not connect to it.`,
  });

/** Throws FORBIDDEN where the URL itself names a barred address; a host name is looked at when it is resolved. */
export function refuseBarred(url: string): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && isWhereKeysAre(host)) throw barred(host);
}

/** `dns.lookup` that fails where a name leads to a barred address: what is checked is what is connected to. */
export const guardedLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, "", 0);
    if (found.some(({ address }) => isWhereKeysAre(address))) return done(barred(host), "", 0);
    if (options.all) return done(null, found);
    const [first] = found;
    return first ? done(null, first.address, first.family) : done(barred(host), "", 0);
  });
};

/** For undici's `request`, after `refuseBarred`. */
export const outgoing = new Agent({ connect: { lookup: guardedLookup } });
