import type { TrainerProxy } from "@liverl/contract/rollout";
import { linkTrainerProxy, type ProxyLink } from "#proxy-process/proxy-link.ts";

/** Links to the proxies of trainers' hosts, one each; `onNew` hears of each that this life of the runner sees for the first time. */
export class TrainerProxies {
  readonly #links = new Map<string, { token: string; link: ProxyLink }>();
  readonly #onNew: (link: ProxyLink) => void;

  constructor(onNew: (link: ProxyLink) => void) {
    this.#onNew = onNew;
  }

  linkOf(place: TrainerProxy): ProxyLink {
    const known = this.#links.get(place.url);
    if (known?.token === place.token) return known.link;
    // Another proxy took the port: nobody answers to the old token any more.
    void known?.link.close();
    const link = linkTrainerProxy(place);
    this.#links.set(place.url, { token: place.token, link });
    this.#onNew(link);
    return link;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map(({ link }) => link.close()));
    this.#links.clear();
  }
}
