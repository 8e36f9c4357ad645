// First floor, tools: hands work to subagents. Knows how to ask for them; what they are and where they work is not its business.
import {
  array,
  boolean,
  literal,
  looseObject,
  number,
  object,
  optional,
  picklist,
  string,
  union,
  unknown,
} from 'valibot';
import { Fault } from '../base/index.ts';
import { type Tool, tool } from '../contracts/index.ts';

export interface TaskToolOptions {
  /** Whom the model can choose. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  /** Whether tasks can work on copies of the repository. */
  readonly canIsolate: boolean;
  /** Files that describe agents and cannot be used, with the reason. */
  readonly broken?: readonly string[] | undefined;
}

const item = looseObject({
  id: optional(string()),
  description: optional(string()),
  assignment: optional(string()),
  /** What older callers say for the assignment. */
  task: optional(string()),
});

const verification = looseObject({
  profile: optional(string()),
  mode: optional(string()),
  commands: optional(array(unknown())),
  lspDiagnostics: optional(boolean()),
  maxRetries: optional(number()),
  onFailure: optional(picklist(['return_failure', 'retry_once', 'discard_patch'])),
});

const params = object({
  agent: string(),
  context: optional(string()),
  schema: optional(unknown()),
  tasks: optional(array(item)),
  isolated: optional(boolean()),
  verify: optional(union([boolean(), literal(''), string(), verification])),
});

export function createTaskTool({ agents, canIsolate, broken = [] }: TaskToolOptions): Tool {
  const offered = agents.map(({ name, description }) => `- ${name}: ${description}`);
  if (broken.length > 0) offered.push(`Not usable: ${broken.join(', ')}`);
  return tool({
    name: 'task',
    doc: `Hand work to subagents, which work side by side and see nothing of this conversation. Agents:\n${offered.join('\n')}`,
    snippet: 'Hand work to subagents',
    effect: 'execute',
    startsSubagents: true,
    // The answer says where the work of aborted tasks is kept. A subagent's own tools are given up after one second.
    abortGraceMs: 10_000,
    params,
    parameters: parametersOf(canIsolate),
    run({ tasks, ...request }, { subagents, toolCallId, signal, update }) {
      if (!subagents) throw new Fault('refused', 'Subagents cannot be started here.');
      const items = tasks?.map(({ id, description, assignment, task }) => {
        return { id, description, assignment: assignment ?? task };
      });
      return subagents.run({ ...request, tasks: items }, { toolCallId, signal, update });
    },
  }) as unknown as Tool;
}

/** By hand, because every byte of it goes into every request. */
function parametersOf(canIsolate: boolean): Record<string, unknown> {
  const text = { type: 'string' };
  const isolation = {
    isolated: { type: 'boolean', description: 'Work on copies of the git repository; the changes come back together' },
    verify: {
      description:
        'With isolated: true, a profile, or {commands:[{name,command,timeoutMs?,optional?}],onFailure?}: checks that the work must pass',
    },
  };
  return {
    type: 'object',
    properties: {
      agent: text,
      context: { type: 'string', description: 'Told to each' },
      tasks: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string', description: 'CamelCase' }, description: text, assignment: text },
          required: ['id', 'assignment'],
        },
      },
      schema: { description: 'JSON form of the answers' },
      ...(canIsolate ? isolation : {}),
    },
    required: ['agent', 'tasks'],
  };
}
