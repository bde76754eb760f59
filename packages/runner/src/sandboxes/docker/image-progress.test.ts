import { expect, it } from "vitest";
import { ImageProgress } from "#sandboxes/docker/image-progress.ts";

it("tells the builder's step and its newest line", () => {
  const progress = new ImageProgress("liverl-task:1", "building");
  expect(progress.view()).toMatchObject({ kind: "building", step: null, steps: null, line: "" });
  progress.take("Step 1/4 : FROM here/agent:1\n");
  progress.take(" ---> 0123\nStep 2/4 : RUN make\n");
  progress.take("\u001b[0mcc -o ring\n\n");
  expect(progress.view()).toMatchObject({ step: 2, steps: 4 });
  expect(progress.view().line).toContain("cc -o ring");
  progress.take("x".repeat(5_000));
  expect(progress.view().line).toHaveLength(200);
});
