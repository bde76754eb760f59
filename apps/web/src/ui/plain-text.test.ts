import { expect, test } from "vitest";
import { plainText } from "#ui/plain-text.ts";

test("takes colours and titles out and keeps lines", () => {
  const built = "Step 2/3 : RUN false\r\n\u001b[91mE: no package\u001b[0m\n\u001b]0;title\u0007end";
  expect(plainText(built)).toBe("Step 2/3 : RUN false\nE: no package\nend");
});

test("keeps the last state of a bar, and brackets that are no sequence", () => {
  expect(plainText("10 %\r50 %\rdone\nlist[91m]\r")).toBe("done\nlist[91m]");
});
