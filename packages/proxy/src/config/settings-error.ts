/** Settings that can not be used: each line names a setting, its value and what is allowed. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.lines = lines;
  }
}
