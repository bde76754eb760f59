import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiException,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type V1ConfigMap,
  type V1OwnerReference,
  type V1Pod,
  type V1Secret,
  Watch,
} from "@kubernetes/client-node";
import { AppError } from "@liverl/contract/app-error";
import { explainKubeError, type KubeAct } from "#kube/explain-kube-error.ts";
import type { KubePlace } from "#kube/load-kube.ts";
import { RayJobObject } from "#kube/rayjob.ts";
import type { RayJobManifest } from "#kube/rayjob-manifest.ts";

const ANSWER_MS = 15_000;
const MOST_RETRY_AFTER_S = 30;
const BUSY_TRIES = 3;
const RAYJOBS = { group: "ray.io", version: "v1", plural: "rayjobs" } as const;
const RESOURCE = "rayjobs.ray.io";
const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const REVIEW = { verb: "create", resource: "selfsubjectaccessreviews.authorization.k8s.io" };

/** Calls of one namespace. Each has a time limit, waits where the server says how long, and throws an AppError. */
export class KubeClient {
  readonly place: KubePlace;
  readonly #core: CoreV1Api;
  readonly #custom: CustomObjectsApi;
  readonly #authorization: AuthorizationV1Api;

  constructor(place: KubePlace) {
    const limited = limitedTo(place);
    this.place = place;
    this.#core = new CoreV1Api(limited);
    this.#custom = new CustomObjectsApi(limited);
    this.#authorization = new AuthorizationV1Api(limited);
  }

  async createRayJob(body: RayJobManifest): Promise<RayJobObject> {
    return RayJobObject.parse(
      await this.#call({ verb: "create", resource: RESOURCE }, () =>
        this.#custom.createNamespacedCustomObject({ ...this.#rayJobs, body }),
      ),
    );
  }

  async getRayJob(name: string): Promise<RayJobObject> {
    return RayJobObject.parse(
      await this.#call({ verb: "get", resource: RESOURCE }, () =>
        this.#custom.getNamespacedCustomObject({ ...this.#rayJobs, name }),
      ),
    );
  }

  /** Deletes it and what it owns: it is there until that is gone. False where it is not there. */
  async deleteRayJob(name: string): Promise<boolean> {
    return this.#unlessMissing({ verb: "delete", resource: RESOURCE }, () =>
      this.#custom.deleteNamespacedCustomObject({
        ...this.#rayJobs,
        name,
        propagationPolicy: "Foreground",
      }),
    );
  }

  /**
   * Tells what becomes of a RayJob, from `resourceVersion` on, until the watch breaks off; resolves then, whatever the
   * cause (the server's time limit, 410 Gone, a lost connection): the caller reads it anew. `null`: it was deleted.
   */
  async watchRayJob(
    name: string,
    resourceVersion: string | undefined,
    told: (job: RayJobObject | null) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, config } = this.place;
    const path = `/apis/ray.io/v1/namespaces/${encodeURIComponent(namespace)}/rayjobs`;
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, timeoutSeconds: 240 };
    const ending = new AbortController();
    const end = () => ending.abort();
    if (signal.aborted) return;
    signal.addEventListener("abort", end, { once: true });
    await new Promise<void>((resolve) => {
      const hear = (type: string, object: unknown) => {
        if (type === "ERROR") return end();
        if (type === "DELETED") return told(null);
        const parsed = RayJobObject.safeParse(object);
        if (parsed.success) told(parsed.data);
      };
      // A server that has not answered yet is not waited for.
      ending.signal.addEventListener("abort", () => resolve(), { once: true });
      new Watch(config)
        .watch(path, query, hear, () => resolve())
        .then(
          (watching) => {
            if (ending.signal.aborted) watching.abort();
            ending.signal.addEventListener("abort", () => watching.abort(), { once: true });
          },
          () => resolve(),
        );
    });
    signal.removeEventListener("abort", end);
    end();
  }

  async listPods(labelSelector: string): Promise<V1Pod[]> {
    const { namespace } = this.place;
    const { items } = await this.#call({ verb: "list", resource: "pods" }, () =>
      this.#core.listNamespacedPod({ namespace, labelSelector }),
    );
    return items;
  }

  /** One that is there already stays. */
  async ensureSecret(body: V1Secret): Promise<void> {
    const { namespace } = this.place;
    await this.#unlessThere({ verb: "create", resource: "secrets" }, () =>
      this.#core.createNamespacedSecret({ namespace, body }),
    );
  }

  /** One that is there already stays. */
  async ensureConfigMap(body: V1ConfigMap): Promise<void> {
    const { namespace } = this.place;
    await this.#unlessThere({ verb: "create", resource: "configmaps" }, () =>
      this.#core.createNamespacedConfigMap({ namespace, body }),
    );
  }

  async ownSecret(name: string, owner: V1OwnerReference): Promise<void> {
    const { namespace } = this.place;
    const body = { metadata: { ownerReferences: [owner] } };
    await this.#call({ verb: "patch", resource: "secrets" }, () =>
      this.#core.patchNamespacedSecret({ namespace, name, body }, MERGE),
    );
  }

  async ownConfigMap(name: string, owner: V1OwnerReference): Promise<void> {
    const { namespace } = this.place;
    const body = { metadata: { ownerReferences: [owner] } };
    await this.#call({ verb: "patch", resource: "configmaps" }, () =>
      this.#core.patchNamespacedConfigMap({ namespace, name, body }, MERGE),
    );
  }

  async deleteSecret(name: string): Promise<boolean> {
    const { namespace } = this.place;
    return this.#unlessMissing({ verb: "delete", resource: "secrets" }, () =>
      this.#core.deleteNamespacedSecret({ namespace, name }),
    );
  }

  async deleteConfigMap(name: string): Promise<boolean> {
    const { namespace } = this.place;
    return this.#unlessMissing({ verb: "delete", resource: "configmaps" }, () =>
      this.#core.deleteNamespacedConfigMap({ namespace, name }),
    );
  }

  /** Whether KubeRay's kind is served. */
  async hasRayJobs(): Promise<boolean> {
    const act = { verb: "get", resource: "customresourcedefinitions" };
    try {
      const { resources } = await this.#call(act, () =>
        this.#custom.getAPIResources({ group: RAYJOBS.group, version: RAYJOBS.version }),
      );
      return resources.some(({ name }) => name === RAYJOBS.plural);
    } catch (error) {
      if (error instanceof AppError && error.code === "NOT_FOUND") return false;
      throw error;
    }
  }

  /** Null where LiveRL may not look at namespaces, which it need not. */
  async hasNamespace(): Promise<boolean | null> {
    const { namespace: name } = this.place;
    try {
      await this.#call({ verb: "get", resource: "namespaces" }, () =>
        this.#core.readNamespace({ name }),
      );
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "NOT_FOUND") return false;
      if (error instanceof AppError && error.code === "FORBIDDEN") return null;
      throw error;
    }
  }

  /** Whether Kubernetes would let us (SelfSubjectAccessReview). */
  async may({ verb, resource }: KubeAct): Promise<boolean> {
    const { namespace } = this.place;
    const [plural = "", group = ""] = resource.split(/\.(.*)/s);
    const [name = "", subresource] = plural.split("/");
    const resourceAttributes = {
      ...{ namespace, verb, group, resource: name },
      ...(subresource !== undefined && { subresource }),
    };
    const { status } = await this.#call(REVIEW, () =>
      this.#authorization.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes } } }),
    );
    return status?.allowed === true;
  }

  get #rayJobs() {
    return { ...RAYJOBS, namespace: this.place.namespace };
  }

  async #unlessMissing(act: KubeAct, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await this.#call(act, work);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "NOT_FOUND") return false;
      throw error;
    }
  }

  async #unlessThere(act: KubeAct, work: () => Promise<unknown>): Promise<void> {
    try {
      await this.#call(act, work);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
    }
  }

  async #call<T>(act: KubeAct, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        const waitS = retryAfterS(error);
        if (waitS === null || tries === BUSY_TRIES) throw explainKubeError(this.place, act, error);
        await sleep(waitS * 1000);
      }
    }
  }
}

function retryAfterS(error: unknown): number | null {
  if (!(error instanceof ApiException) || error.code !== 429) return null;
  const seconds = Number(error.headers["retry-after"] ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MOST_RETRY_AFTER_S) : 1;
}

/** The library's calls have no time limit of their own. */
function limitedTo({ config, server }: KubePlace) {
  return createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        pre: async (request) => {
          request.setSignal(AbortSignal.timeout(ANSWER_MS));
          return request;
        },
        post: async (response) => response,
      },
    ],
  });
}
