import { textOfMessage, toolCallsOfMessage } from "#read-message.ts";
import type {
  Call,
  GivenNode,
  Message,
  ProxyTrajectory,
  SampledNode,
  Segment,
} from "#trajectory.ts";

/** ATIF 1.7: the newest version whose fields are all that is written here. */
const SCHEMA = "ATIF-v1.7";
/** Each turn names its whole prompt again; above so many ids in a segment the prompts are left out, and the notes say so. */
const MAX_PROMPT_IDS = 2_000_000;

interface ObservationResult {
  source_call_id: string | null;
  content: string;
}

/** https://github.com/harbor-framework/harbor, rfcs/0001-trajectory-format: a step. */
export interface AtifStep {
  step_id: number;
  source: "system" | "user" | "agent";
  message: string;
  timestamp?: string;
  reasoning_content?: string;
  tool_calls?: {
    tool_call_id: string;
    function_name: string;
    arguments: Record<string, unknown>;
  }[];
  observation?: { results: ObservationResult[] };
  metrics?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_token_ids?: number[];
    completion_token_ids: number[];
    /** Nats. */
    logprobs: number[];
    extra: Record<string, unknown>;
  };
  is_copied_context?: true;
  llm_call_count?: 1;
  extra?: Record<string, unknown>;
}

export interface AtifTrajectory {
  schema_version: typeof SCHEMA;
  session_id: string;
  trajectory_id: string;
  agent: { name: string; version: string; model_name: string };
  steps: AtifStep[];
  notes?: string;
  final_metrics: {
    total_prompt_tokens: number;
    total_completion_tokens: number;
    total_steps: number;
  };
  subagent_trajectories?: AtifTrajectory[];
  extra: Record<string, unknown>;
}

/**
 * `agent/trajectory.json` from what the proxy recorded, with token ids and log-probs. The main line is the root, each
 * other segment stands below it; a sampled turn that an earlier one has already is copied context, so that none trains
 * twice. Null where the agent made no call.
 */
export function buildAtif(
  trajectory: ProxyTrajectory,
  agent: { name: string; version: string },
): AtifTrajectory | null {
  const told = new Set<number>();
  const [root, ...others] = [...trajectory.segments]
    .sort((a, b) => rankOf(a) - rankOf(b) || b.path.length - a.path.length || a.id - b.id)
    .map((segment) => buildSegment(trajectory, segment, { agent, told }));
  if (!root) return null;
  return others.length > 0 ? { ...root, subagent_trajectories: others } : root;
}

const rankOf = ({ trainable, parentSegmentId }: Segment) =>
  (trainable ? 0 : 2) + (parentSegmentId === null ? 0 : 1);

function buildSegment(
  trajectory: ProxyTrajectory,
  segment: Segment,
  { agent, told }: { agent: { name: string; version: string }; told: Set<number> },
): AtifTrajectory {
  const nodes = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const calls = new Map(trajectory.calls.map((call) => [call.id, call]));
  const path = segment.path.flatMap((id) => nodes.get(id) ?? []);
  const withPrompts = promptIdsOf(path) <= MAX_PROMPT_IDS;
  const steps: AtifStep[] = [];
  const prompt: number[] = [];
  for (const node of path) {
    if (node.kind === "given") addGiven(steps, node);
    else {
      const isCopy = told.has(node.id);
      told.add(node.id);
      const step = sampledStep(node, calls.get(node.callId), {
        promptIds: withPrompts ? [...prompt] : null,
        promptTokens: prompt.length,
        isTrained: segment.trainedNodes.includes(node.id),
      });
      steps.push({ step_id: 0, ...step, ...(isCopy && { is_copied_context: true }) });
    }
    for (const id of node.tokenIds) prompt.push(id);
  }
  const metrics = steps.flatMap(({ metrics, is_copied_context }) =>
    metrics && !is_copied_context ? [metrics] : [],
  );
  return {
    schema_version: SCHEMA,
    session_id: trajectory.sessionId,
    trajectory_id: `${trajectory.sessionId}-${segment.id}`,
    agent: { ...agent, model_name: trajectory.model.name },
    steps: steps.map((step, i) => ({ ...step, step_id: i + 1 })),
    ...(!withPrompts && {
      notes: `metrics.prompt_token_ids are left out: they would be more than ${MAX_PROMPT_IDS} ids.`,
    }),
    final_metrics: {
      total_prompt_tokens: metrics.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0),
      total_completion_tokens: metrics.reduce((sum, row) => sum + row.completion_tokens, 0),
      total_steps: steps.length,
    },
    extra: {
      segment_id: segment.id,
      trainable: segment.trainable,
      reason: segment.reason,
      policy_model: trajectory.model,
      termination: trajectory.termination,
      reward: trajectory.reward,
    },
  };
}

/** How many ids all prompts of a path have together. */
function promptIdsOf(path: readonly { kind: string; tokenIds: readonly number[] }[]): number {
  let before = 0;
  let all = 0;
  for (const { kind, tokenIds } of path) {
    if (kind === "sampled") all += before;
    before += tokenIds.length;
  }
  return all;
}

/** A tool's answer is what the agent's step before it observed. */
function addGiven(steps: AtifStep[], node: GivenNode): void {
  const messages = Array.isArray(node.message) ? node.message : [node.message];
  for (const message of messages) {
    const agentStep = message.role === "tool" ? steps.at(-1) : undefined;
    if (agentStep?.source === "agent") observe(agentStep, message);
    else steps.push(givenStep(message, node));
  }
}

function observe(step: AtifStep, message: Message): void {
  const id = message.tool_call_id;
  const isKnown = step.tool_calls?.some(({ tool_call_id }) => tool_call_id === id) ?? false;
  const result = {
    source_call_id: isKnown && typeof id === "string" ? id : null,
    content: textOfMessage(message),
  };
  step.observation = { results: [...(step.observation?.results ?? []), result] };
}

function givenStep(message: Message, node: GivenNode): AtifStep {
  const shared = { step_id: 0, message: textOfMessage(message) };
  switch (message.role) {
    case "assistant":
      // In the client's words: no engine sampled it.
      return {
        ...shared,
        source: "agent",
        ...saidBesides(message),
        extra: { given: true, node_id: node.id },
      };
    case "user":
      return { ...shared, source: "user" };
    case "system":
    case "developer":
      return { ...shared, source: "system" };
    default:
      return { ...shared, source: "user", extra: { role: message.role } };
  }
}

function sampledStep(
  node: SampledNode,
  call: Call | undefined,
  given: { promptIds: number[] | null; promptTokens: number; isTrained: boolean },
): Omit<AtifStep, "step_id"> {
  return {
    source: "agent",
    message: textOfMessage(node.message),
    ...(call?.endedAt && { timestamp: call.endedAt }),
    ...saidBesides(node.message),
    metrics: {
      prompt_tokens: given.promptTokens,
      completion_tokens: node.tokenIds.length,
      ...(given.promptIds && { prompt_token_ids: given.promptIds }),
      completion_token_ids: node.tokenIds,
      logprobs: node.logprobs,
      extra: { policy_version_span: node.versionSpan, policy_versions: node.policyVersions },
    },
    llm_call_count: 1,
    extra: {
      node_id: node.id,
      request_id: call?.requestId ?? null,
      stop_reason: call?.stopReason ?? null,
      trained: given.isTrained,
    },
  };
}

function saidBesides(message: Message): Pick<AtifStep, "reasoning_content" | "tool_calls"> {
  const { reasoning_content: reasoning } = message;
  const calls = toolCallsOfMessage(message);
  return {
    ...(typeof reasoning === "string" && reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        tool_call_id: id,
        function_name: name,
        arguments: given,
      })),
    }),
  };
}
