import { expect, it } from "vitest";
import { decodeNpy } from "#backends/npy.ts";

// As numpy 2.3.5 saved them.
const INT32 =
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGk0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDMsIDIsIDIpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAQAAAAIAAAADAAAABAAAAAUAAAAGAAAABwAAAAgAAAAJAAAACgAAAAsAAAA=";
const UINT8 =
  "k05VTVBZAQB2AHsnZGVzY3InOiAnfHUxJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDEsIDYpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAQIDBAU=";
const EMPTY =
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGkyJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDAsIDIsIDIpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAo=";

const decode = (base64: string) => decodeNpy(Buffer.from(base64, "base64"));

it("reads what numpy saves", () => {
  const array = decode(INT32);
  expect(array).toMatchObject({ dtype: "<i4", shape: [3, 2, 2] });
  expect([0, 1, 11].map((i) => array.data.readInt32LE(i * 4))).toEqual([0, 1, 11]);
  expect(decode(UINT8)).toMatchObject({ dtype: "|u1", shape: [1, 6] });
  expect([...decode(UINT8).data]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(decode(EMPTY)).toMatchObject({ shape: [0, 2, 2], data: Buffer.alloc(0) });
});

it("refuses what is cut off or no array", () => {
  expect(() => decodeNpy(Buffer.from(INT32, "base64").subarray(0, -1))).toThrow(/48 bytes, not 47/);
  expect(() => decodeNpy(Buffer.from("hello, world"))).toThrow(/not a .npy/);
});
