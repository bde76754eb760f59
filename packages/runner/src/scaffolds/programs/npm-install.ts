import { cp, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NpmProgram } from "#scaffolds/programs/agent-programs.ts";
import { runInstaller } from "#scaffolds/programs/run-installer.ts";
import { TrialError } from "#trials/trial-error.ts";

/**
 * The program of an npm package of an exact version, copied to a path. Install scripts do not run. Throws
 * `AgentSetupError` with npm's last words, or where the package has no program for this machine.
 */
export async function npmInstall(program: NpmProgram, to: string): Promise<void> {
  const spec = `${program.package}@${program.version}`;
  const packages = `${to}.packages`;
  await rm(packages, { recursive: true, force: true });
  await mkdir(packages, { recursive: true });
  await writeFile(join(packages, "package.json"), '{"private": true}\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", spec];
  const why = await runInstaller("npm", args, packages);
  if (why !== null)
    throw new TrialError(
      "AgentSetupError",
      `npm can not install ${spec}: ${why}\nCheck that npm is on the runner's PATH and reaches its registry.`,
    );
  const source = join(packages, "node_modules", program.from);
  if (!(await exists(source)))
    throw new TrialError(
      "AgentSetupError",
      `${spec} has no program for ${process.platform} ${process.arch}. Choose another agent.`,
    );
  await cp(source, to, { recursive: true });
  await rm(packages, { recursive: true, force: true });
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
