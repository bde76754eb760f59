import { finished, type Scaffold } from "#scaffolds/harbor/scaffold.ts";

/** Does nothing: a task that rewards it checks nothing. */
export const nop: Scaffold = { name: "nop", version: "1", run: async () => finished };
