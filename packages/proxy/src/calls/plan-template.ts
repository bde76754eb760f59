import type { TemplateValues } from "@liverl/contract/trajectory";
import type { ServingPool } from "#backends/pool-registry.ts";
import type { TemplateWish } from "#dialects/dialect.ts";
import type { Session } from "#sessions/session.ts";

/** What a call's chat template is told besides the conversation. */
interface TemplatePlan {
  /** Undefined where it is told nothing. */
  values: TemplateValues | undefined;
  /** Fields of the request that the template does not know, or that the run or pool has set otherwise. */
  ignored: string[];
}

/** The session's values win over the pool's, and both over the client's. */
export async function planTemplate(
  pool: ServingPool,
  { open }: Session,
  wishes: readonly TemplateWish[],
): Promise<TemplatePlan> {
  const fixed: TemplateValues = { ...pool.config.templateValues, ...open.templateValues };
  const values = { ...fixed };
  const ignored: string[] = [];
  const renderer = wishes.length > 0 ? await pool.renderer() : null;
  for (const { field, names, value } of wishes) {
    const name = names.find((one) => renderer?.readsVariable(one));
    if (name === undefined || (name in values && values[name] !== value)) ignored.push(field);
    else values[name] = value;
  }
  return { values: Object.keys(values).length > 0 ? values : undefined, ignored };
}
