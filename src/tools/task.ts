// The `task` tool: delegates work to subagents.
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
import { Fault, isRecord } from '../base/index.ts';
import { type PermissionSubject, type Tool, tool } from '../contracts/index.ts';

export interface TaskToolOptions {
  /** Agents that the model can choose. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  /** Whether tasks can work on copies of the repository. */
  readonly canIsolate: boolean;
  /** Agent files that are invalid, with the reason. */
  readonly invalidFiles?: readonly string[] | undefined;
}

const taskItem = looseObject({
  id: optional(string()),
  description: optional(string()),
  assignment: optional(string()),
  /** Older name of `assignment`. */
  task: optional(string()),
});

const verificationOptions = looseObject({
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
  tasks: optional(array(taskItem)),
  isolated: optional(boolean()),
  verify: optional(union([boolean(), literal(''), string(), verificationOptions])),
});

export function createTaskTool({ agents, canIsolate, invalidFiles = [] }: TaskToolOptions): Tool {
  const agentLines = agents.map(({ name, description }) => `- ${name}: ${description}`);
  if (invalidFiles.length > 0) agentLines.push(`Not usable: ${invalidFiles.join(', ')}`);
  return tool({
    name: 'task',
    doc: `Delegate work to subagents, which run in parallel and do not see this conversation. Agents:\n${agentLines.join('\n')}`,
    snippet: 'Delegate work to subagents',
    effect: 'execute',
    startsSubagents: true,
    // The result says where the changes of aborted tasks are saved. The tools of a subagent are abandoned after one second.
    abortGraceMs: 10_000,
    params,
    jsonSchema: buildParameters(canIsolate),
    // Commands of the settings are trusted, those of the model are not.
    listSubjects: ({ verify }) => (typeof verify === 'object' ? (verify.commands ?? []).flatMap(listCommand) : []),
    run({ tasks, ...request }, { subagents, toolCallId, signal, update }) {
      if (!subagents) throw new Fault('refused', 'Subagents cannot be started here.');
      const items = tasks?.map(({ id, description, assignment, task }) => {
        return { id, description, assignment: assignment ?? task };
      });
      return subagents.run({ ...request, tasks: items }, { toolCallId, signal, update });
    },
  }) as unknown as Tool;
}

function listCommand(item: unknown): PermissionSubject[] {
  return isRecord(item) && typeof item.command === 'string' ? [{ kind: 'command', command: item.command }] : [];
}

/** Written by hand to be short: it is sent with every request. */
function buildParameters(canIsolate: boolean): Record<string, unknown> {
  const text = { type: 'string' };
  const isolation = {
    isolated: {
      type: 'boolean',
      description: 'Run in copies of the git repository; the changes are merged at the end',
    },
    verify: {
      description:
        'With isolated: true, a profile, or {commands:[{name,command,timeoutMs?,optional?}],onFailure?}: checks that the work must pass',
    },
  };
  return {
    type: 'object',
    properties: {
      agent: text,
      context: { type: 'string', description: 'Sent to each' },
      tasks: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string', description: 'CamelCase' }, description: text, assignment: text },
          required: ['id', 'assignment'],
        },
      },
      schema: { description: 'Schema of the answers' },
      ...(canIsolate ? isolation : {}),
    },
    required: ['agent', 'tasks'],
  };
}
