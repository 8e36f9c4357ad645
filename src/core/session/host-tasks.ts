// Starts and continues subagents for the host: as calls of the task tool, so that everything that restricts the tool holds. Loaded on demand.
import { createDeferred, Fault } from '../../base/index.ts';
import type { SubagentRunner, Tool, ToolResult } from '../../contracts/index.ts';
import { extractText, type ToolCall } from '../../protocol/index.ts';
import { executeTool } from '../agent/execute-tool.ts';
import type { RunScope } from '../agent/run-scope.ts';
import type { SessionLimits } from './session-limits.ts';

const NOT_AVAILABLE =
  'Subagents cannot be started in this session: the task tool is not active. See the settings of tools and task.';

/** What a call of the task tool needs from the session. */
export interface HostTaskContext {
  readonly limits: SessionLimits;
  listActiveTools(): Promise<readonly Tool[]>;
  createScope(controller: AbortController): Promise<RunScope>;
  nextId(): string;
  yieldToEventLoop(): Promise<void>;
  /** Records in the log that the host has started a subagent. A session without messages gets its file with it. */
  recordStart(subagentId: string): Promise<unknown>;
  /** Throws a Fault when the session is closed. */
  assertOpen(): void;
  /** The work is stopped with the session. */
  track(controller: AbortController, work: Promise<unknown>): void;
}

/** Resolves with the id of the first task when it has started. Throws a Fault if none starts. The work goes on after that. */
export async function startHostTask(
  context: HostTaskContext,
  args: Record<string, unknown>,
  run: SubagentRunner['run'],
): Promise<string> {
  const { limits } = context;
  limits.assertWithinBudget();
  const tool = (await context.listActiveTools()).find(({ startsSubagents }) => startsSubagents);
  if (!tool) throw new Fault('refused', NOT_AVAILABLE);
  context.assertOpen();
  const controller = new AbortController();
  const started = createDeferred<string>();
  const recorded = createDeferred();
  const onTaskStart = (id: string) => {
    started.resolve(id);
    return recorded.promise;
  };
  const call: ToolCall = { type: 'toolCall', id: `host-${context.nextId()}`, name: tool.name, arguments: args };
  const work = callTaskTool(context, { tool, call }, controller, (request, options) =>
    run(request, { ...options, toolCallId: undefined, onTaskStart, isHostCall: true }),
  );
  context.track(controller, work);
  void work.then(
    (result) => started.reject(new Fault('refused', extractText(result.content))),
    (thrown) => started.reject(thrown),
  );
  const subagentId = await started.promise;
  try {
    await context.recordStart(subagentId);
  } catch (thrown) {
    controller.abort();
    throw thrown;
  } finally {
    // The host receives the reply before the end of the subagent.
    void context.yieldToEventLoop().then(recorded.resolve);
  }
  return subagentId;
}

async function callTaskTool(
  { limits, createScope }: HostTaskContext,
  resolved: { tool: Tool; call: ToolCall },
  controller: AbortController,
  run: SubagentRunner['run'],
): Promise<ToolResult> {
  const scope = await createScope(controller);
  // The time counts from the approval on, as it does for a run.
  const endWork = limits.startWork(() => controller.abort());
  try {
    const toolContext = { ...scope.toolContext, subagents: { run } };
    return await executeTool({ ...scope, toolContext, recordToolStart: undefined }, resolved, () => {});
  } finally {
    endWork();
  }
}
