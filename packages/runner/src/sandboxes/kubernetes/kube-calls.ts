import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  NetworkingV1Api,
  ServerConfiguration,
  type V1NetworkPolicy,
  type V1Pod,
} from "@kubernetes/client-node";
import { Gate } from "#sandboxes/gate.ts";
import { codeOf } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";

const ANSWER_MS = 15_000;
/** Of some megabytes, also where the processor has much else to do. */
const LIST_MS = 60_000;
const MOST_RETRY_AFTER_S = 30;
/** How often a busy server is asked. */
export const BUSY_TRIES = 6;
const PAGE = 500;
/** Of one client: a server refuses some hundreds at once, and answers none of them in time. */
const MOST_IN_FLIGHT = 32;

/** Calls for one namespace's pods and policies. Each has a time limit and waits where a busy server says how long. */
export class KubeCalls {
  readonly #core: CoreV1Api;
  readonly #networking: NetworkingV1Api;
  readonly #namespace: string;
  readonly #slots = new Gate(MOST_IN_FLIGHT);

  constructor({ config, server, namespace }: KubeSettings) {
    const limited = createConfiguration({
      baseServer: new ServerConfiguration(server, {}),
      authMethods: { default: config },
      promiseMiddleware: [
        {
          pre: async (request) => {
            const isList = new URL(request.getUrl()).searchParams.has("limit");
            request.setSignal(AbortSignal.timeout(isList ? LIST_MS : ANSWER_MS));
            return request;
          },
          post: async (response) => response,
        },
      ],
    });
    this.#core = new CoreV1Api(limited);
    this.#networking = new NetworkingV1Api(limited);
    this.#namespace = namespace;
  }

  /** Once: who makes pods keeps their pace, also where the server is busy. */
  async createPod(body: V1Pod): Promise<V1Pod> {
    return await this.#slots.run(() =>
      this.#core.createNamespacedPod({ namespace: this.#namespace, body }),
    );
  }

  /** At once, with whatever runs in it; one that is gone is fine. */
  async deletePod(name: string): Promise<void> {
    await this.#patient(() =>
      this.#core.deleteNamespacedPod({
        namespace: this.#namespace,
        name,
        gracePeriodSeconds: 1,
      }),
    ).catch((error: unknown) => {
      if (codeOf(error) !== 404) throw error;
    });
  }

  /** Null where there is none. */
  async readPod(name: string): Promise<V1Pod | null> {
    return await this.#patient(() =>
      this.#core.readNamespacedPod({ namespace: this.#namespace, name }),
    ).catch((error: unknown) => {
      if (codeOf(error) === 404) return null;
      throw error;
    });
  }

  /** All pages of it, and the version to watch from. */
  async listPods(labelSelector: string): Promise<{ pods: V1Pod[]; version: string | undefined }> {
    const pods: V1Pod[] = [];
    let _continue: string | undefined;
    for (;;) {
      const page = await this.#patient(() =>
        this.#core.listNamespacedPod({
          namespace: this.#namespace,
          labelSelector,
          limit: PAGE,
          ...(_continue && { _continue }),
        }),
      );
      pods.push(...page.items);
      _continue = page.metadata?._continue;
      if (!_continue) return { pods, version: page.metadata?.resourceVersion };
    }
  }

  /** Throws where pods may not be asked for, or nobody answers; how many there are is no matter. */
  async checkAccess(): Promise<void> {
    await this.#patient(() =>
      this.#core.listNamespacedPod({ namespace: this.#namespace, limit: 1 }),
    );
  }

  /** One that is there already stays. */
  async ensureNetworkPolicy(body: V1NetworkPolicy): Promise<void> {
    await this.#patient(() =>
      this.#networking.createNamespacedNetworkPolicy({ namespace: this.#namespace, body }),
    ).catch((error: unknown) => {
      if (codeOf(error) !== 409) throw error;
    });
  }

  async #patient<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#slots.run(work);
      } catch (error) {
        const waitS = retryAfterS(error);
        if (waitS === null || tries === BUSY_TRIES) throw error;
        await sleep(waitS * 1_000);
      }
    }
  }
}

/** How long a busy server wants to be left alone, seconds; null where it said something else. */
export function retryAfterS(error: unknown): number | null {
  if (!(error instanceof ApiException) || error.code !== 429) return null;
  const seconds = Number(error.headers["retry-after"] ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MOST_RETRY_AFTER_S) : 1;
}
