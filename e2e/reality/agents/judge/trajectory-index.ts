import type { Call, ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";

/** Finds what belongs to an engine request in a trajectory. */
export class TrajectoryIndex {
  readonly #nodes: ReadonlyMap<number, ProxyTrajectory["nodes"][number]>;
  readonly #calls: ReadonlyMap<string, Call>;

  constructor(trajectory: ProxyTrajectory) {
    this.#nodes = new Map(trajectory.nodes.map((node) => [node.id, node]));
    this.#calls = new Map(
      trajectory.calls.flatMap((call) => call.requestIds.map((id) => [id, call] as const)),
    );
  }

  callOf(requestId: string): Call | null {
    return this.#calls.get(requestId) ?? null;
  }

  sampledBy(call: Call | null): SampledNode | null {
    const node = call?.sampledNodeId == null ? undefined : this.#nodes.get(call.sampledNodeId);
    return node?.kind === "sampled" ? node : null;
  }

  /** Token ids from the root to the node that the call sampled after. */
  promptOf(call: Call): number[] {
    const runs: (readonly number[])[] = [];
    let at = call.promptNodeId;
    while (at !== null) {
      const node = this.#nodes.get(at);
      if (!node) throw new Error(`the trajectory has no node ${at}`);
      runs.push(node.tokenIds);
      at = node.parentId;
    }
    return runs.reverse().flat();
  }
}
