import { z } from "zod";

/** Ends of a job after which nothing of it runs (ray/dashboard/modules/job/common.py, JobStatus.is_terminal). */
const TERMINAL = ["STOPPED", "SUCCEEDED", "FAILED"];

/**
 * What is read of Ray's JobDetails. `runtime_env` is left out on purpose: Ray gives its env_vars back in clear, and what is
 * not read is neither stored nor shown.
 */
export const JobDetails = z.object({
  type: z.string().catch("SUBMISSION"),
  submission_id: z.string().nullish(),
  job_id: z.string().nullish(),
  status: z.string(),
  message: z.string().nullish(),
  error_type: z.string().nullish(),
  /** Milliseconds since 1970. */
  start_time: z.number().nullish(),
  end_time: z.number().nullish(),
  driver_node_id: z.string().nullish(),
  driver_exit_code: z.number().int().nullish(),
});
export type JobDetails = z.infer<typeof JobDetails>;

export const isTerminalJob = ({ status }: Pick<JobDetails, "status">): boolean =>
  TERMINAL.includes(status);
