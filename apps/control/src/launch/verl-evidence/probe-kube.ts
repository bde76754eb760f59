import { AppError } from "@liverl/contract/app-error";
import type { KubeRaySpec } from "@liverl/contract/verl-launch";
import { KubeClient } from "#kube/kube-client.ts";
import { type KubePlace, loadKube } from "#kube/load-kube.ts";
import type { KubeEvidence } from "#launch/verl-evidence/verl-evidence.ts";
import type { NamedPlaces } from "#named-places.ts";

const TIMEOUT_MS = 8_000;
/** Every call that the driver makes, in the words of RBAC; docs/verl.md has the same as a Role. */
export const KUBE_ACCESS: Readonly<Record<string, readonly string[]>> = {
  "rayjobs.ray.io": ["create", "get", "watch", "delete"],
  pods: ["list"],
  "pods/log": ["get"],
  configmaps: ["create", "patch", "delete"],
  secrets: ["create", "patch", "delete"],
};
const UNKNOWN = { hasKubeRay: false, hasNamespace: null, denied: [] };

/** What a cluster says of itself and of what LiveRL may do there. Reads only. */
export async function probeKube(
  target: KubeRaySpec["target"],
  places: NamedPlaces,
): Promise<KubeEvidence> {
  let place: KubePlace;
  try {
    place = loadKube(target, places);
  } catch (error) {
    return { ...UNKNOWN, server: null, fault: wordsOf(error) };
  }
  const { server } = place;
  const late = new AppError("UNAVAILABLE", {
    userMessage: `Kubernetes does not answer at ${server} within ${TIMEOUT_MS / 1000} s.`,
  });
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), TIMEOUT_MS);
  });
  try {
    return { server, fault: null, ...(await Promise.race([look(new KubeClient(place)), limit])) };
  } catch (error) {
    return { ...UNKNOWN, server, fault: wordsOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function look(kube: KubeClient): Promise<Omit<KubeEvidence, "server" | "fault">> {
  const acts = Object.entries(KUBE_ACCESS).flatMap(([resource, verbs]) =>
    verbs.map((verb) => ({ verb, resource })),
  );
  const [hasKubeRay, hasNamespace, ...allowed] = await Promise.all([
    kube.hasRayJobs(),
    kube.hasNamespace(),
    ...acts.map((act) => kube.may(act)),
  ]);
  const denied = acts
    .filter((_, i) => !allowed[i])
    .map(({ verb, resource }) => `${verb} ${resource}`);
  return { hasKubeRay, hasNamespace, denied };
}

function wordsOf(error: unknown): string {
  if (error instanceof AppError) return error.userMessage;
  throw error;
}
