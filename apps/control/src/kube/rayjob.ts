import { z } from "zod";

/** What is read of a RayJob (ray.io/v1, KubeRay 1.7). A word that is not known here passes: `stateOfRayJob` says so. */
export const RayJobObject = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string().optional(),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .looseObject({
      jobStatus: z.string().default(""),
      jobDeploymentStatus: z.string().default(""),
      reason: z.string().default(""),
      message: z.string().default(""),
    })
    .default({ jobStatus: "", jobDeploymentStatus: "", reason: "", message: "" }),
});
export type RayJobObject = z.infer<typeof RayJobObject>;
