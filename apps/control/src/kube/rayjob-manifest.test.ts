import type { KubeRaySpec } from "@liverl/contract/verl-launch";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildRayJobManifest, labelsOf, rayJobName } from "#kube/rayjob-manifest.ts";
import { checkSizes } from "#kube/rayjob-objects.ts";
import { KUBERAY_DEFAULTS } from "#launch/verl-defaults.ts";

const code = new Map([["liverl_verl/plugin.py", "liverl_verl.plugin.py"]]);
const build = (change: Partial<KubeRaySpec> = {}) =>
  buildRayJobManifest(
    { ...KUBERAY_DEFAULTS, ...change },
    { name: "lrl-a-01-1-12345678", runId: "a-01", attempt: 1, code },
  ).spec;

test("a pool of its own is a group of its own", () => {
  const { algorithm, layout } = KUBERAY_DEFAULTS;
  const pools = {
    ...layout,
    nnodes: 2,
    n_gpus_per_node: 8,
    rollout_nnodes: 1,
    rollout_n_gpus_per_node: 4,
  };
  const groups = (mode: typeof algorithm.trainer_mode) =>
    build({
      algorithm: { ...algorithm, trainer_mode: mode },
      layout: pools,
    }).rayClusterSpec.workerGroupSpecs.map(
      ({ groupName, replicas, minReplicas, maxReplicas, template }) => [
        ...[groupName, replicas, minReplicas, maxReplicas],
        template.spec?.containers[0]?.resources?.limits?.["nvidia.com/gpu"],
      ],
    );
  expect(groups("sync")).toEqual([["trainer", 2, 2, 2, "8"]]);
  expect(groups("fully_async")).toEqual([
    ["trainer", 2, 2, 2, "8"],
    ["rollout", 1, 1, 1, "4"],
  ]);
});

test("the head has no GPU, every node the files, the variables, the claims and room for shared memory", () => {
  const { target } = KUBERAY_DEFAULTS;
  const volumes = ["models:/models", "data.x:/data"];
  const { rayClusterSpec } = build({ target: { ...target, volumes } });
  const { headGroupSpec, workerGroupSpecs } = rayClusterSpec;
  expect(headGroupSpec.template.spec?.containers[0]?.resources?.limits).toEqual({
    cpu: "32000m",
    memory: "128000M",
  });
  for (const { template } of [headGroupSpec, ...workerGroupSpecs]) {
    const [container] = template.spec?.containers ?? [];
    expect(container?.envFrom).toEqual([{ secretRef: { name: "lrl-a-01-1-12345678-env" } }]);
    expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
      ...["/etc/liverl/code", "/etc/liverl/secret", "/dev/shm", "/models", "/data"],
    ]);
    expect(template.spec?.volumes).toContainEqual({
      name: "liverl-code",
      configMap: {
        name: "lrl-a-01-1-12345678-code",
        items: [{ key: "liverl_verl.plugin.py", path: "liverl_verl/plugin.py" }],
      },
    });
    expect(template.spec?.volumes).toContainEqual({
      name: "claim-1",
      persistentVolumeClaim: { claimName: "data.x" },
    });
    expect(template.spec?.automountServiceAccountToken).toBe(false);
  }
});

test("KubeRay is asked for a token where the Ray has some", () => {
  const { target } = KUBERAY_DEFAULTS;
  const authOf = (ray_version: string) =>
    build({ target: { ...target, ray_version } }).rayClusterSpec.authOptions;
  expect(authOf("2.52.0")).toEqual({ mode: "token" });
  expect(authOf("3.0.0")).toEqual({ mode: "token" });
  expect(authOf("2.51.9")).toBeUndefined();
});

test("any run makes a name and labels that Kubernetes and KubeRay take", () => {
  const runId = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,62}-\d{2,3}$/);
  fc.assert(
    fc.property(runId, fc.integer({ min: 1, max: 999 }), (id, attempt) => {
      const name = rayJobName(id, attempt, "0a1b2c3d");
      expect(name).toMatch(/^[a-z][-a-z0-9]{0,45}[a-z0-9]$/);
      expect(name).toContain(`-${attempt}-0a1b2c3d`);
      for (const value of Object.values(labelsOf(name, id, attempt)))
        expect(value).toMatch(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/);
    }),
  );
});

test("what is too large for one object says which", () => {
  const big = { x: "é".repeat(600_000) };
  expect(() => checkSizes({ code: big, secret: {}, env: {} })).toThrow(
    /adapter's files would take 1200001/,
  );
  expect(() => checkSizes({ code: {}, secret: big, env: {} })).toThrow(/command line/);
  expect(() => checkSizes({ code: {}, secret: {}, env: big })).toThrow(/environment/);
  checkSizes({ code: { x: "y".repeat(1024 * 1024 - 1) }, secret: {}, env: {} });
});
