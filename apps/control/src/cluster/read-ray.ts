import { AppError } from "@liverl/contract/app-error";
import type { RayActorView, RayGroupView, RayNodeView, RayView } from "@liverl/contract/cluster";
import type { RayActor, RayNode, RayPlacementGroup } from "#ray/cluster-schemas.ts";
import type { RayClient } from "#ray/ray-client.ts";

/** One look at a cluster. Throws the AppErrors of the client. */
export async function readRay(ray: RayClient): Promise<RayView> {
  const version = await ray.version();
  // One after the other: Ray answers 429 where too many questions are under way.
  const mode = await ray.authenticationMode();
  const faults: string[] = [];
  const part = async <T>(asked: Promise<T>, none: T): Promise<T> =>
    asked.catch((error: unknown) => {
      faults.push(error instanceof AppError ? error.userMessage : String(error));
      return none;
    });
  const none = { total: 0, entries: [], warning: null };
  const nodes = await part(ray.nodes(), []);
  const actors = await part(ray.actors(), none);
  const groups = await part(ray.placementGroups(), none);
  return {
    version: version.ray_version,
    isOpen: mode === null ? ray.place.tokenPath === null : mode === "disabled",
    nodes: nodes.map(viewNode).sort((a, b) => Number(b.isHead) - Number(a.isHead)),
    actors: actors.entries.map(viewActor),
    actorCount: actors.total,
    groups: groups.entries.map(viewGroup),
    warning: [actors.warning, groups.warning, ...faults].filter(Boolean).join(" ") || null,
  };
}

function viewNode({ hostname, ip, cpu, mem, gpus, raylet }: RayNode): RayNodeView {
  const { objectStoreUsedMemory: used, objectStoreAvailableMemory: free } = raylet;
  return {
    id: raylet.nodeId ?? "",
    host: [hostname, ip].filter(Boolean).join(" · "),
    isHead: raylet.isHeadNode === true,
    isAlive: raylet.state === "ALIVE",
    message: raylet.stateMessage || null,
    cpu: cpu ?? null,
    memoryUsed: mem[3] ?? null,
    memoryTotal: mem[0] ?? null,
    objectStoreUsed: used ?? null,
    objectStoreTotal: used != null && free != null ? used + free : null,
    gpus: gpus.map(({ index, name, utilizationGpu, memoryUsed, memoryTotal }) => ({
      index,
      name: name ?? null,
      utilisation: utilizationGpu ?? null,
      memoryUsed: memoryUsed ?? null,
      memoryTotal: memoryTotal ?? null,
    })),
  };
}

function viewActor(actor: RayActor): RayActorView {
  const cause = Object.values(actor.death_cause ?? {}).find(
    (value): value is { error_message: string } =>
      typeof value === "object" && value !== null && "error_message" in value,
  );
  return {
    id: actor.actor_id,
    className: actor.class_name ?? "?",
    name: actor.name || null,
    state: actor.state,
    nodeId: actor.node_id || null,
    pid: actor.pid || null,
    restarts: actor.num_restarts ?? 0,
    death: cause ? String(cause.error_message) : null,
  };
}

function viewGroup(group: RayPlacementGroup): RayGroupView {
  return {
    id: group.placement_group_id,
    name: group.name || null,
    state: group.state,
    bundles: (group.bundles ?? []).map(({ unit_resources }) =>
      Object.entries(unit_resources ?? {})
        .map(([resource, amount]) => `${amount} ${resource}`)
        .join(", "),
    ),
    waitsFor: group.state === "CREATED" ? null : (group.stats?.scheduling_state ?? null),
  };
}
