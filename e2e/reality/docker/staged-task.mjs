// A task of three steps in Harbor's format that only uses what a plain Debian has, so that Harbor itself can run it, too.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const STEPS = ["plan", "zweiter Schritt", "report"];

/** Which steps are rewarded how much, and how they become the trial's reward. */
const CONFIG = ({ strategy, image, gate, network, apart }) => `schema_version = "1.4"
${strategy ? `multi_step_reward_strategy = "${strategy}"\n` : ""}artifacts = ["/app/answer"]

[agent]
timeout_sec = 60

[verifier]
timeout_sec = 60

[environment]
docker_image = "${image}"
workdir = "/app"
network_mode = "${network}"

[[steps]]
name = "plan"
${gate === null ? "" : `min_reward = ${gate}`}
${apart ? '[steps.verifier]\nenvironment_mode = "separate"' : ""}

[[steps]]
name = "zweiter Schritt"
[steps.agent]
timeout_sec = 30
[steps.verifier.env]
WANTED = "two"
[steps.healthcheck]
command = "test -e /app/ready"
interval_sec = 0.2

[[steps]]
name = "report"
`;
/** Of all steps: a step's own files come on top. */
const SHARED_TEST = `#!/bin/bash
wanted=$WANTED
[ -z "$wanted" ] && wanted=$(cat /tests/wanted)
share=1; [ -e /tests/share ] && share=$(cat /tests/share)
if [ "$(cat /app/answer 2> /dev/null)" = "$wanted" ]; then echo "{\\"reward\\": $share, \\"answered\\": 1}"; else echo '{"reward": 0, "answered": 0}'; fi > /logs/verifier/reward.json
echo "looked for $wanted"
echo seen > /logs/artifacts/by-the-tests
nohup sleep 300 > /dev/null 2>&1 &
`;
/** What the agent of a step may not see: the tests, rewards and logs of the step before, and what they left running. */
const LOOK = `seen=$(find /tests /logs/verifier /logs/artifacts /logs/agent -type f ! -name oracle.txt 2> /dev/null | sort | tr '\\n' ' ')
running=$(cat /proc/[0-9]*/stat 2> /dev/null | grep "(sleep)" | grep -vc "(sleep) Z")
echo "$seen" >> /app/seen; echo "$running" >> /app/running
`;

function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/**
 * The task's folder. Its own solution earns 1, 1 and \`lastShare\`; doing nothing earns 0 at the first step, which ends the
 * trial where there is a \`gate\`. \`apart\`: the first step's tests have a sandbox of their own.
 */
export function makeStagedTask(
  directory,
  name,
  {
    strategy = null,
    image = "here/agent:1",
    gate = 0.5,
    lastShare = 0.5,
    network = "no-network",
    apart = false,
    solve = {},
    test = {},
  } = {},
) {
  const folder = join(directory, name);
  write(join(folder, "task.toml"), CONFIG({ strategy, image, gate, network, apart }));
  // Harbor wants the folder, also where an image is named.
  mkdirSync(join(folder, "environment"), { recursive: true });
  write(join(folder, "tests/test.sh"), SHARED_TEST, 0o755);
  const words = ["one", "two", "three"];
  for (const [at, step] of STEPS.entries()) {
    const home = join(folder, "steps", step);
    write(join(home, "instruction.md"), `Write \`${words[at]}\` into /app/answer.\n`);
    write(join(home, "tests/wanted"), `${words[at]}\n`);
    const own = solve[step] ?? `echo ${words[at]} > /app/answer`;
    write(join(home, "solution/solve.sh"), `#!/bin/bash\n${LOOK}${own}\n`, 0o755);
    if (test[step]) write(join(home, "tests/test.sh"), `#!/bin/bash\n${test[step]}\n`, 0o755);
  }
  write(join(folder, "steps/report/tests/share"), `${lastShare}\n`);
  const second = join(folder, "steps/zweiter Schritt/workdir");
  write(
    join(second, "setup.sh"),
    "#!/bin/bash\nset -e\ncat given/hint\n[ ! -e refused ]\n(sleep 0.5; touch /app/ready) &\n",
    0o755,
  );
  write(join(second, "given/hint"), "The answer is a number.\n");
  return folder;
}
