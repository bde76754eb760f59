const SECRET_NAME = /TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH/i;
/** Shorter values stand in too many other words. */
const SHORTEST = 6;

/** `text` without the values of those variables whose name says that they are secret. For what Ray says of a job. Pure. */
export function redactValues(text: string, env: Readonly<Record<string, string>>): string {
  let redacted = text;
  for (const [name, value] of Object.entries(env))
    if (SECRET_NAME.test(name) && value.length >= SHORTEST)
      redacted = redacted.replaceAll(value, "[redacted]");
  return redacted;
}
