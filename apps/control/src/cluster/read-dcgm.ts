import type { GpuView } from "@liverl/contract/cluster";
import { getText } from "#cluster/get-text.ts";
import { parseExposition } from "#cluster/parse-exposition.ts";

export interface SeenGpus {
  gpus: GpuView[];
  /** Whom nothing is known of now; null: all told. */
  warning: string | null;
}

/** GPUs of every host whose dcgm-exporter tells. Rejects where none of them answers. */
export async function readDcgm(urls: readonly string[]): Promise<SeenGpus> {
  const answers = await Promise.allSettled(urls.map((url) => getText(metricsOf(url), null)));
  const silent = urls.filter((_, i) => answers[i]?.status === "rejected");
  const warning =
    silent.length === 0 ? null : `No answer of dcgm-exporter at ${silent.join(", ")}.`;
  if (silent.length === urls.length) throw new Error(warning ?? "no dcgm-exporter is named");
  const gpus = answers.flatMap((answer, i) =>
    answer.status === "fulfilled" ? parseDcgm(answer.value, new URL(urls[i] ?? "").hostname) : [],
  );
  return { gpus, warning };
}

/**
 * dcgm-exporter, etc/default-counters.csv: MiB, °C, W, percent; one sample a GPU. Parts of a GPU (MIG) are left out: they have no
 * utilisation of their own. Pure.
 */
export function parseDcgm(text: string, address: string): GpuView[] {
  const byGpu = new Map<
    string,
    { labels: Readonly<Record<string, string>>; of: Map<string, number> }
  >();
  for (const { name, labels, value } of parseExposition(text)) {
    const field = /^DCGM_FI_DEV_(\w+)$/.exec(name)?.[1];
    if (field === undefined || !/^\d+$/.test(labels.gpu ?? "") || labels.GPU_I_ID) continue;
    const key = labels.UUID ?? labels.gpu ?? "";
    const known = byGpu.get(key) ?? { labels, of: new Map<string, number>() };
    known.of.set(field, value);
    byGpu.set(key, known);
  }
  return [...byGpu.values()].map(({ labels, of }) => {
    const read = (field: string) => of.get(field) ?? null;
    const used = read("FB_USED");
    const free = read("FB_FREE");
    return {
      host: labels.Hostname || address,
      index: Number(labels.gpu),
      name: labels.modelName ?? "GPU",
      utilisation: read("GPU_UTIL"),
      memoryUsed: used,
      memoryTotal: used === null || free === null ? null : used + free + (read("FB_RESERVED") ?? 0),
      temperature: read("GPU_TEMP"),
      power: read("POWER_USAGE"),
      powerLimit: read("POWER_MGMT_LIMIT"),
      uncorrected: read("ECC_DBE_VOL_TOTAL"),
      // 0 stands for none.
      xid: read("XID_ERRORS") || null,
    };
  });
}

const metricsOf = (url: string) =>
  new URL(url).pathname === "/" ? new URL("/metrics", url).href : url;
