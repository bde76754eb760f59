import type { V1ConfigMap, V1OwnerReference, V1Secret } from "@kubernetes/client-node";
import { AppError } from "@liverl/contract/app-error";
import type { KubeClient } from "#kube/kube-client.ts";
import { codeName, envName, type RayJobManifest, secretName } from "#kube/rayjob-manifest.ts";

/** etcd's and the API server's limit of a ConfigMap's or Secret's data. */
const MOST_BYTES = 1024 * 1024;

/** All that one launch makes in the cluster. */
export interface LaunchObjects {
  manifest: RayJobManifest;
  /** Files without secrets, by key. */
  code: Readonly<Record<string, string>>;
  /** Files with secrets, by name. */
  secret: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
}

/** TOO_LARGE, with what to do, where Kubernetes would not take it. Pure. */
export function checkSizes({ code, secret, env }: Pick<LaunchObjects, "code" | "secret" | "env">) {
  const check = (what: string, fix: string, data: Readonly<Record<string, string>>) => {
    const bytes = Object.entries(data).reduce(
      (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
      0,
    );
    if (bytes > MOST_BYTES)
      throw new AppError("TOO_LARGE", {
        userMessage: `${what} would take ${bytes} bytes; Kubernetes takes ${MOST_BYTES} in one object. ${fix}`,
      });
  };
  check("The adapter's files", "Put them in the image instead.", code);
  check("The command line", "Give fewer or shorter overrides and data files.", secret);
  check("The environment", "Give fewer or shorter variables.", env);
}

/** Makes and removes a launch's objects. What the RayJob needs is there before it, and goes with it. */
export class RayJobObjects {
  readonly #kube: KubeClient;

  constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  /** May be repeated: what is there stays. Leaves nothing where Kubernetes refuses the RayJob. */
  async create({ manifest, code, secret, env }: LaunchObjects): Promise<{ uid: string }> {
    const { name, labels } = manifest.metadata;
    const metadata = (of: string) => ({ metadata: { name: of, labels } });
    try {
      const files: V1ConfigMap = { ...metadata(codeName(name)), data: { ...code } };
      const secrets: V1Secret = { ...metadata(secretName(name)), stringData: { ...secret } };
      const variables: V1Secret = { ...metadata(envName(name)), stringData: { ...env } };
      await this.#kube.ensureConfigMap(files);
      await this.#kube.ensureSecret(secrets);
      await this.#kube.ensureSecret(variables);
      const job = await this.#kube.createRayJob(manifest).catch((error: unknown) => {
        // An earlier request arrived although its answer did not: nobody else knows the name.
        if (error instanceof AppError && error.code === "CONFLICT")
          return this.#kube.getRayJob(name);
        throw error;
      });
      const { uid } = job.metadata;
      const owner: V1OwnerReference = {
        ...{ apiVersion: manifest.apiVersion, kind: manifest.kind, name, uid },
        ...{ controller: false, blockOwnerDeletion: false },
      };
      await this.#kube.ownConfigMap(codeName(name), owner);
      await this.#kube.ownSecret(secretName(name), owner);
      await this.#kube.ownSecret(envName(name), owner);
      return { uid };
    } catch (error) {
      const isPassing =
        error instanceof AppError && ["UNAVAILABLE", "TOO_MANY_REQUESTS"].includes(error.code);
      if (!isPassing) {
        await this.#kube.deleteRayJob(name).catch(() => undefined);
        await this.remove(name).catch(() => undefined);
      }
      throw error;
    }
  }

  /** The files and variables; the RayJob is another matter. */
  async remove(name: string): Promise<void> {
    await Promise.all([
      this.#kube.deleteConfigMap(codeName(name)),
      this.#kube.deleteSecret(secretName(name)),
      this.#kube.deleteSecret(envName(name)),
    ]);
  }
}
