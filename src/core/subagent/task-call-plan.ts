// Validates a call of the task tool and resolves its agent, model, schema and verification. Starts nothing.
import { Fault } from '../../base/index.ts';
import type { TaskItem, TaskRequest } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { type AnswerParser, createAnswerParser } from './answer-parser.ts';
import { chooseModel } from './model-choice.ts';
import type { Spawner } from './spawner.ts';
import { getOverlayWarnings, requireIsolationEnabled, resolveAgent, validateTasks } from './validate-tasks.ts';
import { planVerification, type VerificationPlan } from './verification-plan.ts';

export interface TaskCallPlan {
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly answerParser: AnswerParser | undefined;
  readonly verificationPlan: VerificationPlan | undefined;
  readonly taskItems: readonly TaskItem[];
  readonly projectAgentsFolder: string | null;
  /** Requested options that could not be used. */
  readonly warnings: readonly string[];
}

/** Throws a Fault whose message becomes the result of the call. */
export async function planTaskCall(spawner: Spawner, host: SubagentHost, request: TaskRequest): Promise<TaskCallPlan> {
  const { settings } = spawner;
  if (request.isolated) requireIsolationEnabled(settings);
  await requireCommandTool(request, spawner, host);
  const verificationPlan = planVerification(request, settings.verification);
  const taskItems = validateTasks(request.tasks);
  const registry = await spawner.getAgentRegistry();
  const agent = resolveAgent(request.agent, registry, settings, host.parentLink);
  const answerParser = selectAnswerParser(agent, request, host, spawner);
  const { model, warning } = await chooseModel(spawner, host, agent);
  const warnings = [...(request.isolated ? getOverlayWarnings(settings) : []), ...(warning ? [warning] : [])];
  return {
    agent,
    model,
    answerParser,
    verificationPlan,
    taskItems,
    projectAgentsFolder: registry.projectAgentsFolder,
    warnings,
  };
}

/** A session without a shell tool must not run commands through `verify.commands`. Profiles are allowed: the user configured them. */
async function requireCommandTool({ verify }: TaskRequest, { base }: Spawner, host: SubagentHost): Promise<void> {
  if (typeof verify !== 'object' || verify.commands === undefined || !base.commandTools) return;
  const availableTools = await host.listInheritableTools();
  if (availableTools.some(({ name }) => base.commandTools?.includes(name))) return;
  throw new Fault(
    'refused',
    `verify.commands needs the tool ${base.commandTools.join(' or ')}, which is not available in this session. Use a verification profile from the settings instead.`,
  );
}

/** Precedence: the schema of the agent, then that of the call, then that of the calling subagent. */
function selectAnswerParser(
  agent: AgentDefinition,
  request: TaskRequest,
  { parentLink, emit }: SubagentHost,
  { testPatterns }: Spawner,
): AnswerParser | undefined {
  const onTimeout = (expression: string) => {
    const message = `The pattern ${expression} in the answer schema timed out and is ignored.`;
    void emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  };
  const patternOptions = { testPatterns, onTimeout };
  return (
    createAnswerParser(agent.outputSchema, `The output schema of the agent ${agent.name}`, patternOptions) ??
    createAnswerParser(request.schema, 'schema', patternOptions) ??
    createAnswerParser(parentLink?.outputSchema, 'schema', patternOptions)
  );
}
