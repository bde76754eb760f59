/** What a template does that jinja2 refuses, too; `raise_exception` of a template gives its own message. */
export class JinjaError extends Error {
  override readonly name = "JinjaError";
}
