import { type AtifTrajectory, buildAtif } from "@liverl/contract/build-atif";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { flattenSegment } from "@liverl/proxy/trajectory/flatten";
import { describe, expect, it } from "vitest";
import recorded from "#harbor-files/__fixtures__/proxy-trajectory.json" with { type: "json" };

const trajectory = ProxyTrajectory.parse(recorded);
const AGENT = { name: "opencode", version: "1.2.3" };

function build(given = trajectory): AtifTrajectory {
  const atif = buildAtif(given, AGENT);
  if (!atif) throw new Error("no trajectory");
  return atif;
}

describe("ATIF", () => {
  it("tells the main line in order, tools' answers with the step that asked", () => {
    const { steps, ...rest } = build();
    expect(rest).toMatchObject({
      schema_version: "ATIF-v1.7",
      session_id: "rewarded-a1",
      trajectory_id: "rewarded-a1-1",
      agent: { ...AGENT, model_name: "policy" },
      final_metrics: { total_completion_tokens: 6, total_steps: 6 },
    });
    expect(steps.map(({ step_id, source, message }) => [step_id, source, message])).toEqual([
      [1, "system", "You fix code."],
      [2, "user", "Write hello.txt.\nNow."],
      [3, "agent", "I look first."],
      [4, "user", "Hurry."],
      [5, "agent", ""],
      [6, "agent", "Really done."],
    ]);
    expect(steps[2]).toMatchObject({
      reasoning_content: "What is there?",
      tool_calls: [
        { tool_call_id: "c1", function_name: "bash", arguments: { command: "ls" } },
        { tool_call_id: "c2", function_name: "bash", arguments: { command: "pwd" } },
      ],
      observation: {
        results: [
          { source_call_id: "c1", content: "a.txt" },
          { source_call_id: "c2", content: "/app" },
        ],
      },
      timestamp: "2026-11-23T01:00:00.200Z",
      llm_call_count: 1,
    });
    expect(steps[4]?.observation).toEqual({
      results: [{ source_call_id: null, content: "written" }],
    });
  });

  it("carries the tokens exactly: prompt and completion of each turn are the flat segment's", () => {
    const flat = flattenSegment(trajectory, 1).tokenIds;
    for (const { metrics } of build().steps) {
      if (!metrics?.prompt_token_ids) continue;
      const ids = [...metrics.prompt_token_ids, ...metrics.completion_token_ids];
      expect(ids).toEqual(flat.slice(0, ids.length));
      expect(metrics.logprobs).toHaveLength(metrics.completion_tokens);
    }
  });

  it("has each sampled turn once that is no copy", () => {
    const all = [build(), ...(build().subagent_trajectories ?? [])];
    expect(all.map(({ extra }) => extra.segment_id)).toEqual([1, 0, 2]);
    const fresh = all
      .flatMap(({ steps }) => steps)
      .filter(({ metrics, is_copied_context }) => metrics && !is_copied_context)
      .map(({ extra }) => extra?.node_id);
    expect(fresh).toEqual([1, 5, 7, 3, 9]);
    expect(all.map(({ final_metrics }) => final_metrics.total_completion_tokens)).toEqual([
      6, 2, 1,
    ]);
  });

  it("marks what the client says that the agent said", () => {
    const side = build().subagent_trajectories?.[1];
    expect(side?.steps.map(({ source, extra }) => [source, extra?.given])).toEqual([
      ["system", undefined],
      ["agent", true],
      ["user", undefined],
      ["agent", undefined],
    ]);
    expect(side?.steps[1]).toMatchObject({
      observation: { results: [{ source_call_id: null, content: "late" }] },
    });
  });

  it("leaves prompts out where they would be millions of ids, and says so", () => {
    const nodes = trajectory.nodes.map((node) =>
      node.id === 0 ? { ...node, tokenIds: new Array<number>(700_000).fill(1) } : node,
    );
    const atif = build({ ...trajectory, nodes });
    expect(atif.notes).toContain("prompt_token_ids are left out");
    expect(atif.steps[2]?.metrics).toMatchObject({ prompt_tokens: 700_000 });
    expect(atif.steps.some(({ metrics }) => metrics?.prompt_token_ids)).toBe(false);
  });

  it("is not made of a session without a call", () => {
    expect(buildAtif({ ...trajectory, segments: [] }, AGENT)).toBeNull();
  });
});
