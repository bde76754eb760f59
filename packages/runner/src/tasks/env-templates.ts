import { AppError } from "@liverl/contract/app-error";

const TEMPLATE = /^\$\{([^}:]+)(?::-(.*))?\}$/;
const SENSITIVE = /KEY|SECRET|TOKEN(?!S)|PASSWORD|CREDENTIAL|AUTH/i;

/** The variables of this host that an `env` table asks for, with their defaults. */
export function hostVariables(
  env: Readonly<Record<string, string>>,
): { name: string; fallback: string | null }[] {
  return Object.values(env).flatMap((value) => {
    const [, name, fallback = null] = TEMPLATE.exec(value) ?? [];
    return name === undefined ? [] : [{ name, fallback }];
  });
}

/**
 * Fills in `${VAR}` and `${VAR:-default}`; a value is one template or none. To be called when the task runs, so that no
 * secret is stored. `where` names the table: `task.toml: [verifier].env`. Throws BAD_REQUEST where a variable is not set.
 */
export function resolveEnv(
  env: Readonly<Record<string, string>>,
  host: Readonly<Record<string, string | undefined>>,
  where: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([key, value]) => {
      const [isTemplate, name = "", fallback] = TEMPLATE.exec(value) ?? [];
      if (isTemplate === undefined) return [key, value];
      const found = (Object.hasOwn(host, name) ? host[name] : undefined) ?? fallback;
      if (found !== undefined) return [key, found];
      throw new AppError("BAD_REQUEST", {
        userMessage: `${where}.${key} asks for the environment variable ${name}, which is not set on this host. Set it and start LiveRL again.`,
      });
    }),
  );
}

/** An `env` table as files may hold it: what a sensitive name stands for becomes a template of that name. */
export function withoutSecrets(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([key, value]) => [
      key,
      TEMPLATE.test(value) || !SENSITIVE.test(key) ? value : `\${${key}}`,
    ]),
  );
}
