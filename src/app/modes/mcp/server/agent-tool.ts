// The `agent` tool of the MCP server: its declaration, its arguments and its result.
import { describeType, Fault, findClosestMatch } from '../../../../base/index.ts';

export const AGENT_TOOL_NAME = 'agent';

/** All arguments are texts that are not blank. */
const ARGUMENTS = {
  prompt:
    'The task, complete: the agent does not see your conversation. Name files, constraints, and what to report back.',
  cwd: 'The directory to work in. Default: the directory in which the server was started.',
  model: 'The model: its name, a part of it, or provider/id, as `parley models` lists them. Default: as configured.',
  session: 'The sessionId of an earlier result. The agent then continues with all that it knows.',
};

export type AgentArguments = { readonly prompt: string } & {
  readonly [Name in keyof typeof ARGUMENTS]?: string | undefined;
};

export interface AgentResult {
  /** Absent when nothing was stored. */
  readonly sessionId?: string;
  readonly status: 'completed' | 'aborted' | 'error';
  readonly text: string;
  readonly error?: string;
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly costUsd: number;
  };
}

const DESCRIPTION = `Delegates a task to Parley, a coding agent with its own context, model and tools: it reads, searches and edits files and runs shell commands in \`cwd\`, and returns its final answer.
Use it for self-contained work: a change in another repository, an investigation that would fill your context, a second opinion of another model, or several tasks at once (calls run in parallel; let them change different files).
A call takes from seconds to many minutes. To ask for more or to correct the work, call again with the sessionId of the result as \`session\`.`;

const count = { type: 'integer' };

const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    sessionId: { type: 'string', description: 'Pass it as `session` to continue. Absent when nothing was stored.' },
    status: { type: 'string', enum: ['completed', 'aborted', 'error'], description: 'How the work has ended.' },
    text: { type: 'string', description: 'The final answer of the agent.' },
    error: { type: 'string', description: 'Why the agent failed.' },
    usage: {
      type: 'object',
      description: 'The tokens of this call, without those of subagents.',
      properties: {
        input: count,
        output: count,
        cacheRead: count,
        cacheWrite: count,
        costUsd: { type: 'number', description: 'US dollars; 0 when the prices are not known.' },
      },
      required: ['input', 'output', 'cacheRead', 'cacheWrite', 'costUsd'],
    },
  },
  required: ['status', 'text'],
};

export function describeAgentTool(): Record<string, unknown> {
  const properties = Object.entries(ARGUMENTS).map(([name, description]) => [name, { type: 'string', description }]);
  return {
    name: AGENT_TOOL_NAME,
    title: 'Coding agent',
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: ['prompt'],
      additionalProperties: false,
    },
    outputSchema: OUTPUT_SCHEMA,
    annotations: {
      title: 'Coding agent',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  };
}

/** Throws a Fault that names the argument. */
export function readAgentArguments(args: Readonly<Record<string, unknown>>): AgentArguments {
  const names = Object.keys(ARGUMENTS);
  for (const [name, value] of Object.entries(args)) {
    if (!names.includes(name)) throw createArgumentFault(name, `is unknown${suggestName(name, names)}`);
    if (typeof value !== 'string') throw createArgumentFault(name, `must be a string (got ${describeType(value)})`);
    if (value.trim() === '') throw createArgumentFault(name, 'must not be empty');
  }
  if (args.prompt === undefined) throw createArgumentFault('prompt', 'is required');
  return args as AgentArguments;
}

function suggestName(name: string, names: readonly string[]): string {
  const match = findClosestMatch(name, names);
  return match === undefined ? `. Available: ${names.join(', ')}` : ` (did you mean ${match}?)`;
}

function createArgumentFault(name: string, problem: string): Fault {
  return new Fault('invalid_params', `Invalid params: arguments.${name} ${problem}`);
}

/** Clients that show only the content to their model get the id of the session there too. */
export function toToolResult(result: AgentResult): Record<string, unknown> {
  const { sessionId, status, text, error = 'The run was aborted.' } = result;
  const isComplete = status === 'completed';
  const answer = text === '' && isComplete ? 'The agent has finished without an answer.' : text;
  const continuation = sessionId === undefined ? '' : `To continue, call this tool with session: ${sessionId}`;
  const texts = [answer, isComplete ? '' : error, continuation].filter((line) => line !== '');
  return {
    content: texts.map((line) => ({ type: 'text', text: line })),
    structuredContent: result,
    ...(isComplete ? {} : { isError: true }),
  };
}
