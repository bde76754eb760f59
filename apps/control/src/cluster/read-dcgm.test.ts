import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseDcgm, readDcgm } from "#cluster/read-dcgm.ts";

const of = (gpu: number) =>
  `gpu="${gpu}",UUID="GPU-${gpu}",pci_bus_id="0",device="nvidia${gpu}",modelName="NVIDIA H200",Hostname="gpu-7"`;
const PAGE = `# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{${of(0)}} 97
DCGM_FI_DEV_GPU_UTIL{${of(1)}} 3
DCGM_FI_DEV_FB_FREE{${of(0)}} 10000
DCGM_FI_DEV_FB_USED{${of(0)}} 133000
DCGM_FI_DEV_FB_RESERVED{${of(0)}} 771
DCGM_FI_DEV_GPU_TEMP{${of(0)}} 61
DCGM_FI_DEV_POWER_USAGE{${of(0)}} 688.123
DCGM_FI_DEV_XID_ERRORS{${of(0)},err_code="0",err_msg="No Error"} 0
DCGM_FI_DEV_XID_ERRORS{${of(1)},err_code="79",err_msg="GPU has fallen off the bus"} 79
DCGM_FI_DEV_FB_USED{${of(1)},GPU_I_PROFILE="1g.18gb",GPU_I_ID="3"} 5
dcgm_exporter_build_info 1
`;
// Stands in for dcgm-exporter: its text as documented.
const exporter = createServer((request, response) => {
  response.writeHead(request.url === "/metrics" ? 200 : 404).end(PAGE);
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => exporter.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(exporter.address() as AddressInfo).port}`;
});
afterAll(() => void exporter.close());

test("every GPU of the page, its last Xid, and null where nothing is told", () => {
  const none = { memoryUsed: null, memoryTotal: null, temperature: null, power: null };
  expect(parseDcgm(PAGE, "10.0.0.7")).toEqual([
    {
      ...{ host: "gpu-7", index: 0, name: "NVIDIA H200", utilisation: 97, memoryUsed: 133_000 },
      ...{ memoryTotal: 143_771, temperature: 61, power: 688.123, powerLimit: null },
      ...{ uncorrected: null, xid: null },
    },
    {
      ...{ host: "gpu-7", index: 1, name: "NVIDIA H200", utilisation: 3, ...none },
      ...{ powerLimit: null, uncorrected: null, xid: 79 },
    },
  ]);
});

test("a host that does not answer is named beside those that do", async () => {
  const { gpus, warning } = await readDcgm([url, "http://127.0.0.1:1"]);
  expect(gpus).toHaveLength(2);
  expect(warning).toContain("http://127.0.0.1:1");
  await expect(readDcgm(["http://127.0.0.1:1"])).rejects.toThrow(/No answer of dcgm-exporter/);
});
