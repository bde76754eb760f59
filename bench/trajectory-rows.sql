-- A run's rollouts as a long run leaves them: 512 of a step, 8 of a task, with the shares of ends that coding agents have.
INSERT INTO rollout (rollout_id, session_id, run_id, group_id, index, task_id, task_name, mode, step, asked_step, attempt, status, reward,
  termination, error, turns, tokens_sampled, tokens_total, version_min, version_max, truncated, integrity_kinds, tags, timings,
  queued_at, started_at, ended_at, directory, cursor)
SELECT $1 || '.s' || step || '.g' || grp || '.r' || idx, $1 || '-' || at, $1, $1 || '.s' || step || '.g' || grp, idx,
  repo || '/' || task, repo || '-' || task, CASE WHEN at % 40 = 0 THEN 'eval' ELSE 'train' END, step, step, 1,
  CASE WHEN is_broken THEN 'failed' ELSE 'succeeded' END,
  CASE WHEN is_broken THEN NULL WHEN h % 3 = 0 THEN 1 ELSE 0 END,
  CASE WHEN is_broken THEN 'infra-error' WHEN h % 40 = 1 THEN 'timeout' WHEN h % 30 = 2 THEN 'max-turns' ELSE 'agent-finished' END,
  CASE WHEN is_broken THEN jsonb_build_object('exception_type', (ARRAY['EnvironmentStartError', 'VerifierError', 'ImagePullError'])[h % 3 + 1],
    'exception_message', 'the sandbox did not start', 'occurred_at', '2026-01-01T00:00:00Z') END,
  5 + h % 40, 2000 + h % 9000, 20000 + h % 90000, step - 1, step, h % 32 = 3,
  CASE WHEN h % 400 = 5 THEN ARRAY['tests-edited'] WHEN h % 900 = 6 THEN ARRAY['network-used', 'tools-changed'] ELSE '{}' END,
  CASE WHEN h % 5000 = 7 THEN ARRAY['suspect'] ELSE '{}' END,
  '{"queueS":1,"setupS":20,"agentS":300,"generateS":200,"toolS":100,"verifyS":30}',
  begun, begun + interval '1 second', begun + interval '6 minutes', 'harbor_trials/bench/' || $1 || '/step_' || step || '/' || at, at
FROM (
  SELECT at, at / 512 + 1 AS step, (at / 8) % 64 AS grp, at % 8 AS idx, h, h % 200 = 0 AS is_broken,
    (ARRAY['django', 'sympy', 'flask', 'requests', 'sphinx', 'pytest', 'xarray', 'astropy'])[(at / 8) % 8 + 1] AS repo,
    (at / 8 * 37) % 2294 AS task, timestamptz '2026-01-01' + at * interval '1 second' AS begun
  FROM (SELECT at, abs(hashint4(at)) AS h FROM generate_series($2::int, $3::int - 1) AS at) AS numbered
) AS rows
ON CONFLICT DO NOTHING
