import { hostScaffold } from "#scaffolds/harbor/host-scaffold.ts";

/** Harbor's own agent: types into a tmux of the sandbox and reads its screen. */
export const terminus2 = hostScaffold("terminus-2", "harbor.agents.terminus_2:Terminus2");
