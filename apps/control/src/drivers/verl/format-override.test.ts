import { expect, it } from "vitest";
import { formatOverride } from "#drivers/verl/format-override.ts";

it.each([
  ["n", 4, "n=4"],
  ["lr", 1e-6, "lr=0.000001"],
  ["tiny", 1e-7, "tiny=1e-7"],
  ["+a.b", true, "+a.b=True"],
  ["~c", null, "~c=null"],
  ["path", "/data/a-b_1.parquet", "path=/data/a-b_1.parquet"],
  ["version", "0.9", 'version="0.9"'],
  ["text", "null", 'text="null"'],
  ["text", "", 'text=""'],
  ["text", "a b,c=d", 'text="a b,c=d"'],
  ["text", 'say "hi"', 'text="say \\"hi\\""'],
  ["text", "C:\\dir\\", 'text="C:\\dir\\\\"'],
  ["text", "${oc.env:HOME}", 'text="${oc.env:HOME}"'],
  ["files", ["/a.parquet", "b c", 1, false], 'files=[/a.parquet,"b c",1,False]'],
  ["+map", { a: 1, b: ["x y", null], c: { d: true } }, '+map={a:1,b:["x y",null],c:{d:True}}'],
  [
    "hydra.searchpath",
    ["pkg://verl.trainer.config"],
    "hydra.searchpath=[pkg://verl.trainer.config]",
  ],
])("%s: %j is %s", (key, value, text) => {
  expect(formatOverride(key, value)).toBe(text);
});
