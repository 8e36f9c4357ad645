// First floor, core: what a call of the task tool asks for, once everything in it is known to be possible. Starts nothing.
import { Fault } from '../../base/index.ts';
import type { TaskItem, TaskRequest } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/family.ts';
import { expectAgent, expectIsolation, expectTasks, overlayRemark } from './admission.ts';
import { type AnswerForm, answerForm } from './answer.ts';
import type { AgentDefinition } from './definition.ts';
import { chooseModel } from './model-choice.ts';
import type { Spawner } from './spawner.ts';
import { planVerification, type VerificationPlan } from './verify-plan.ts';

export interface PlannedCall {
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly form: AnswerForm | undefined;
  readonly plan: VerificationPlan | undefined;
  readonly items: readonly TaskItem[];
  readonly projectFolder: string | null;
  /** What is not as it was asked for. */
  readonly remarks: readonly string[];
}

/** Throws a Fault whose sentence is the answer to the call. */
export async function planCall(spawner: Spawner, host: SubagentHost, request: TaskRequest): Promise<PlannedCall> {
  const { settings } = spawner;
  if (request.isolated) expectIsolation(settings);
  await expectCommands(request, spawner, host);
  const plan = planVerification(request, settings.verification);
  const items = expectTasks(request.tasks);
  const roster = await spawner.roster();
  const agent = expectAgent(request.agent, roster, settings, host.family);
  const form = formOf(agent, request, host, spawner);
  const { model, remark } = await chooseModel(spawner, host, agent);
  const remarks = [...(request.isolated ? overlayRemark(settings) : []), ...(remark ? [remark] : [])];
  return { agent, model, form, plan, items, projectFolder: roster.projectFolder, remarks };
}

/** A model without a tool that runs commands must not get one through the checks of a task. Profiles are the user's own. */
async function expectCommands({ verify }: TaskRequest, { base }: Spawner, host: SubagentHost): Promise<void> {
  if (typeof verify !== 'object' || verify.commands === undefined || !base.commandTools) return;
  const offered = await host.tools();
  if (offered.some(({ name }) => base.commandTools?.includes(name))) return;
  throw new Fault(
    'refused',
    `verify.commands needs the tool ${base.commandTools.join(' or ')}, which is not offered here. Name a profile of the settings instead.`,
  );
}

/** Of several, the agent's own counts before the call's, and that before the one that whoever calls is held to. */
function formOf(
  agent: AgentDefinition,
  request: TaskRequest,
  { family, emit }: SubagentHost,
  { tryPatterns }: Spawner,
): AnswerForm | undefined {
  const lost = (expression: string) => {
    const message = `The pattern ${expression} of an answer's schema takes too long to look for, and forbids nothing.`;
    void emit({ type: 'notice', level: 'warning', message, source: 'subagents' });
  };
  const expressions = { tryPatterns, lost };
  return (
    answerForm(agent.output, `The output schema of the agent ${agent.name}`, expressions) ??
    answerForm(request.schema, 'schema', expressions) ??
    answerForm(family?.schema, 'schema', expressions)
  );
}
