// Builds the options of a subagent's session: its tools, hooks and system prompt, and the link to the parent session.
import type { Hooks, Tool } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { ParentLink, SubagentHost } from '../session/parent-link.ts';
import type { SessionOptions } from '../session/session-options.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AnswerParser } from './answer-parser.ts';
import type { Spawner } from './spawner.ts';

export interface SubagentSessionRequest {
  /** Name of its log file: the id of the task or of its repair. */
  readonly name: string;
  readonly id: string;
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly answerParser: AnswerParser | undefined;
  readonly cwd: string;
  readonly folder: string;
  readonly budgetAccount: ParentLink['budgetAccount'];
}

export async function createSubagentSessionOptions(
  spawner: Spawner,
  host: SubagentHost,
  request: SubagentSessionRequest,
): Promise<SessionOptions> {
  const { agent, model, budgetAccount } = request;
  const depth = getSubagentDepth(host);
  const tools = await selectTools(spawner, host, agent);
  const { hooks, ...base } = spawner.base;
  return {
    ...base,
    store: spawner.createLogStore(request.folder, request.name),
    resumed: undefined,
    name: undefined,
    model,
    isModelExplicit: true,
    thinkingLevel: agent.thinkingLevel ?? host.thinkingLevel,
    cwd: request.cwd,
    tools: async () => tools,
    systemPrompt: buildSystemPrompt(agent, request.answerParser),
    appendSystemPrompt: undefined,
    hooks: hooks?.map(pickToolHooks),
    budget: undefined,
    maxTurns: undefined,
    parentLink: {
      depth,
      id: request.id,
      agent: agent.name,
      spawns: agent.spawns,
      emit: host.emit,
      subagentRegistry: host.subagentRegistry,
      budgetAccount,
      outputSchema: request.answerParser?.schema,
    },
  };
}

export function getSubagentDepth({ parentLink }: SubagentHost): number {
  return (parentLink?.depth ?? 0) + 1;
}

/** The tools of a subagent of `host`. */
export async function selectTools(
  spawner: Pick<Spawner, 'settings'>,
  host: SubagentHost,
  agent: AgentDefinition,
): Promise<readonly Tool[]> {
  const maySpawn = getSubagentDepth(host) < spawner.settings.maxRecursionDepth && agent.spawns.length > 0;
  return (await host.listInheritableTools()).filter(
    (tool) => isToolAllowed(agent, tool) && !tool.asksHost && (maySpawn || !isSubagentTool(tool)),
  );
}

/** `tool` is one of the parent's tools: a subagent never gets more than its parent has. */
function isToolAllowed({ tools }: AgentDefinition, tool: Tool): boolean {
  return tools === undefined || tools.includes(tool.name) || isSubagentTool(tool);
}

export function isSubagentTool(tool: Tool): boolean {
  return tool.startsSubagents === true;
}

/** Permission and request hooks of the parent also apply to its subagents. The other hooks are for the user's own conversation. */
function pickToolHooks(hooks: Hooks): Hooks {
  return {
    get toolCall() {
      return hooks.toolCall;
    },
    get toolResult() {
      return hooks.toolResult;
    },
    get beforeRequest() {
      return hooks.beforeRequest;
    },
  };
}

function buildSystemPrompt({ prompt }: AgentDefinition, answerParser: AnswerParser | undefined): string {
  if (!answerParser) return prompt;
  return `${prompt}\n\nYour last message must be a single JSON value that matches this schema, and nothing else:\n${JSON.stringify(answerParser.schema)}`;
}
