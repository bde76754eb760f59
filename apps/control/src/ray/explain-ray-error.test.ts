import { expect, test } from "vitest";
import { explainRayError } from "#ray/explain-ray-error.ts";

const place = { address: "http://ray:8265", tokenPath: "/etc/ray.token" };
// As Ray 2.60 answered.
const REPEATED = `Traceback (most recent call last):
  File "/venv/ray/dashboard/modules/job/job_head.py", line 419, in submit_job
    resp = await job_agent_client.submit_job_internal(submit_request)
RuntimeError: Request failed with status code 400: Traceback (most recent call last):
  File "/venv/ray/dashboard/modules/job/job_agent.py", line 45, in submit_job
    submission_id = await self.get_job_manager().submit_job(
ValueError: Job with submission_id a1 already exists. Please use a different submission_id.
.
`;
const METADATA = `Traceback (most recent call last):
  File "<string>", line 13, in __init__
TypeError: metadata values must be strings, got <class 'int'>
`;

test.each([
  [401, "Unauthorized: Missing authentication token", "UNAUTHENTICATED", /did not get the token/],
  [
    403,
    "Forbidden: Invalid authentication token",
    "FORBIDDEN",
    /refuses the token in \/etc\/ray.token/,
  ],
  [404, "Job nope does not exist", "NOT_FOUND", /Job nope does not exist/],
  [429, "Max number of in-progress requests=100 exceeded.", "TOO_MANY_REQUESTS", /too often/],
  [400, METADATA, "BAD_REQUEST", /metadata values must be strings/],
  [500, REPEATED, "CONFLICT", /a1 already exists/],
  [
    500,
    "No available agent to submit job, please try again later.",
    "UNAVAILABLE",
    /No available agent/,
  ],
  [502, "<html>bad gateway</html>", "UNAVAILABLE", /502/],
] as const)("%i becomes one clear error", (status, text, code, said) => {
  const error = explainRayError(place, { path: "/api/jobs/", status, text });
  expect(error.code).toBe(code);
  expect(error.userMessage).toMatch(said);
  expect(error.userMessage).not.toContain("Traceback");
});

test("without a token the error says to give one", () => {
  const open = { ...place, tokenPath: null };
  const error = explainRayError(open, { path: "/api/version", status: 401, text: "" });
  expect(error.userMessage).toMatch(/give the file/);
});
