import { expect, it } from "vitest";
import { parseGpus } from "#cluster/read-gpus.ts";

it("reads every GPU, and null where the driver tells nothing", () => {
  const csv = [
    "0, NVIDIA H200, 97, 131072, 143771, 61, 688.12, 700.00, 0",
    "1, NVIDIA H200, [N/A], [Unknown Error], 143771, [Not Supported], [N/A], [N/A], 2",
    "No devices were found",
    "",
  ].join("\n");
  expect(parseGpus(csv)).toEqual([
    {
      ...{ host: null, index: 0, name: "NVIDIA H200", utilisation: 97, memoryUsed: 131_072 },
      ...{ memoryTotal: 143_771, temperature: 61, power: 688.12, powerLimit: 700, uncorrected: 0 },
      xid: null,
    },
    {
      ...{ host: null, index: 1, name: "NVIDIA H200", utilisation: null, memoryUsed: null },
      ...{ memoryTotal: 143_771, temperature: null, power: null, powerLimit: null, uncorrected: 2 },
      xid: null,
    },
  ]);
});
