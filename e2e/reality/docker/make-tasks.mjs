// Five tasks in Harbor's format, each a real git repository with a fault in it, and one whose tests look for a way out of the sandbox.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const TEST_HEAD = "#!/bin/bash\ncd /app\nmkdir -p /logs/verifier\n";
const TEST_FOOT =
  "then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi\n";

/** The image has the repository at /app, with a commit. */
const dockerfile = (packages = "") => `FROM here/agent:1
${packages ? `RUN apt-get update && apt-get install -y --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*\n` : ""}COPY app /app
WORKDIR /app
RUN git config --system user.email maintainer@example.org && git config --system user.name Maintainer && git init -q -b main && git add -A && git commit -q -m "As it is"
`;

const TASKS = {
  "c-ring": {
    packages: "gcc libc6-dev make",
    instruction:
      "The ring buffer in /app/ring.c loses the oldest byte when it is full. Repair it; `make && ./ring` must print `ok`.",
    app: {
      "ring.c": `#include <stdio.h>
#define SIZE 4
static char bytes[SIZE];
static int head, count;
int push(char byte) {
  if (count > SIZE) return 0;
  bytes[(head + count) % SIZE] = byte;
  count++;
  return 1;
}
int pop(void) {
  if (count == 0) return -1;
  int byte = bytes[head];
  head = (head + 1) % SIZE;
  count--;
  return byte;
}
int main(void) {
  for (char byte = 'a'; byte < 'a' + SIZE; byte++) push(byte);
  if (push('z')) return puts("took too many"), 1;
  for (char byte = 'a'; byte < 'a' + SIZE; byte++)
    if (pop() != byte) return puts("lost a byte"), 1;
  puts("ok");
  return 0;
}
`,
      Makefile: "ring: ring.c\n\tcc -Wall -o ring ring.c\n",
    },
    check: 'if make -s && [ "$(./ring)" = ok ]; ',
    solve: "sed -i 's/count > SIZE/count >= SIZE/' ring.c",
  },
  "python-intervals": {
    instruction:
      "`merge` in /app/intervals.py does not join intervals that touch. `python3 -m unittest` must pass.",
    app: {
      "intervals.py": `def merge(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
`,
    },
    check: `if python3 -c 'from intervals import merge; assert merge([(3, 5), (1, 3), (7, 9)]) == [(1, 5), (7, 9)]; assert merge([(1, 9), (2, 3)]) == [(1, 9)]'; `,
    solve: "sed -i 's/start < merged/start <= merged/' intervals.py",
  },
  "javascript-lru": {
    instruction:
      "The cache in /app/lru.js drops what was just read. The one that was used longest ago has to go.",
    app: {
      "lru.js": `class Lru {
  constructor(size) {
    this.size = size;
    this.map = new Map();
  }
  get(key) {
    return this.map.get(key);
  }
  set(key, value) {
    this.map.delete(key);
    this.map.set(key, value);
    if (this.map.size > this.size) this.map.delete(this.map.keys().next().value);
  }
}
module.exports = { Lru };
`,
    },
    check: `if node -e 'const { Lru } = require("/app/lru.js"); const c = new Lru(2); c.set("a", 1); c.set("b", 2); c.get("a"); c.set("c", 3); if (c.get("a") !== 1 || c.get("b") !== undefined) process.exit(1)'; `,
    solve: `cat > lru.js <<'JS'
class Lru {
  constructor(size) {
    this.size = size;
    this.map = new Map();
  }
  get(key) {
    const value = this.map.get(key);
    if (this.map.delete(key)) this.map.set(key, value);
    return value;
  }
  set(key, value) {
    this.map.delete(key);
    this.map.set(key, value);
    if (this.map.size > this.size) this.map.delete(this.map.keys().next().value);
  }
}
module.exports = { Lru };
JS`,
  },
  "shell-report": {
    instruction:
      "/app/report.sh counts requests by status. It must print the most frequent status first.",
    app: {
      "report.sh": "#!/bin/bash\nawk '{print $2}' access.log | sort | uniq -c | sort -n\n",
      "access.log": "/a 200\n/b 404\n/c 200\n/d 500\n/e 200\n/f 404\n",
    },
    check: `if [ "$(bash report.sh | awk '{print $2}' | tr '\\n' ' ')" = "200 404 500 " ]; `,
    solve: "sed -i 's/sort -n/sort -rn/' report.sh",
  },
  "git-revert": {
    instruction:
      "The last commit of /app removed VERSION by mistake. Bring the file back in a new commit, with a clean work tree.",
    app: { VERSION: "1.4.2\n", "README.md": "A program.\n" },
    after: 'RUN git rm -q VERSION && git commit -q -m "Tidy"\n',
    check:
      'if [ "$(cat VERSION)" = 1.4.2 ] && [ -z "$(git status --porcelain)" ] && [ "$(git rev-list --count HEAD)" = 3 ]; ',
    solve: "git revert --no-edit HEAD",
    isSolved: "[ -e VERSION ]",
  },
};

export const CONFIG = `schema_version = "1.4"

[agent]
timeout_sec = 300

[verifier]
timeout_sec = 120

[environment]
cpus = 1
memory_mb = 1024
network_mode = "no-network"
`;

function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/** The same with Docker's usual network, which is watched. */
export const ONLINE = CONFIG.replace("no-network", "public");

/** What repairs whichever of the tasks it is run in, also a second time: an agent's one command. */
export const ANY_REPAIR = `cd /app || exit 1
${Object.values(TASKS)
  .map(({ app, solve, isSolved = "false" }) => {
    const [file] = Object.keys(app);
    return `if git log --format= --name-only | grep -qx ${file} && ! { ${isSolved}; }; then\n${solve}\nfi`;
  })
  .join("\n")}
true`;

/** Folders of the five tasks, by name. */
export function makeTasks(directory, config = CONFIG) {
  return Object.entries(TASKS).map(
    ([name, { instruction, app, packages, after = "", check, solve }]) => {
      const folder = join(directory, name);
      write(join(folder, "task.toml"), config);
      write(join(folder, "instruction.md"), `${instruction}\n`);
      write(join(folder, "environment/Dockerfile"), dockerfile(packages) + after);
      for (const [file, text] of Object.entries(app))
        write(join(folder, "environment/app", file), text);
      write(join(folder, "tests/test.sh"), `${TEST_HEAD}${check}${TEST_FOOT}`, 0o755);
      write(join(folder, "solution/solve.sh"), `#!/bin/bash\nset -e\ncd /app\n${solve}\n`, 0o755);
      return { name, folder };
    },
  );
}

/** A task with other tests, agent and settings, on the agent's image; `isRepository`: with a commit of `app` at /app, and `after` it. */
export function makeTask(
  directory,
  name,
  {
    test,
    solve = "true",
    config = CONFIG,
    instruction = "Do it.",
    isRepository = false,
    app = { "lib.py": "VALUE = 1\n" },
    after = "",
    tests = {},
  },
) {
  const folder = join(directory, name);
  const image = isRepository ? "" : 'docker_image = "here/agent:1"\n';
  write(
    join(folder, "task.toml"),
    config.replace("[environment]", `[environment]\n${image}workdir = "/app"`),
  );
  if (isRepository) {
    write(join(folder, "environment/Dockerfile"), dockerfile() + after);
    for (const [file, text] of Object.entries(app))
      write(join(folder, "environment/app", file), text);
  }
  write(join(folder, "instruction.md"), `${instruction}\n`);
  write(join(folder, "tests/test.sh"), `#!/bin/bash\n${test}\n`, 0o755);
  for (const [file, text] of Object.entries(tests)) write(join(folder, "tests", file), text);
  write(join(folder, "solution/solve.sh"), `#!/bin/bash\n${solve}\n`, 0o755);
  return folder;
}
