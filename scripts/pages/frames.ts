// Schemas of all frames of the omp dialect, built from the declarations.
import {
  array,
  type GenericSchema,
  literal,
  number,
  type ObjectEntries,
  object,
  optional,
  picklist,
  string,
  union,
  variant,
} from 'valibot';
import { commands } from '../../src/commands/index.ts';
import type { Command, Dialect } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import {
  events,
  hostToolCall,
  hostToolCancel,
  hostToolResult,
  hostToolUpdate,
  hostUriCancel,
  hostUriRequest,
  hostUriResult,
  promptOutcome,
  streamEvent,
  uiAnswer,
  uiRequest,
} from '../../src/protocol/index.ts';
import { pascalCase } from './naming.ts';

export type Definitions = Readonly<Record<string, GenericSchema>>;

export const allCommands = commands as readonly unknown[] as readonly Command[];

const id = optional(union([string(), number()]));

/** The methods of a dialect and their commands. */
export function methodsOf({ methods, acceptsAllCommands }: Dialect): [method: string, command: Command][] {
  const byName = new Map(allCommands.map((command) => [command.name, command]));
  const commandNames = acceptsAllCommands ? allCommands.map(({ name }) => [name, name] as const) : [];
  return [...commandNames, ...methods].map(([method, name]) => {
    const command = byName.get(name);
    if (!command) throw new Error(`${method} maps to ${name}, which is not a command`);
    return [method, command];
  });
}

export function commandFramesOf(dialect: Dialect): Definitions {
  return Object.fromEntries(
    methodsOf(dialect).map(([method, { params }]) => [
      `${pascalCase(method)}Command`,
      object({ id, type: literal(method), ...entriesOf(params) }),
    ]),
  );
}

export const answerFrames: Definitions = {
  HostToolUpdate: hostToolUpdate,
  HostToolResult: hostToolResult,
  ExtensionUiResponse: union(
    uiAnswer.options.map(({ entries }) =>
      object({ type: literal('extension_ui_response'), id: string(), ...(entries as ObjectEntries) }),
    ),
  ),
};

/** omp also has URIs of the host. */
export const ompAnswerFrames: Definitions = { ...answerFrames, HostUriResult: hostUriResult };

/** `dataOf` returns the schema of `data`. By default it is the result of the command. */
export function responseFramesOf(
  dialect: Dialect,
  dataOf: (method: string, command: Command) => GenericSchema | undefined = (_, { result }) => result,
): Definitions {
  const successes = methodsOf(dialect).map(([method, command]) => {
    const data = dataOf(method, command);
    const fields = { id, type: literal('response'), command: literal(method), success: literal(true) };
    return [`${pascalCase(method)}Response`, object({ ...fields, ...(data ? { data } : {}) })] as const;
  });
  const failure = object({
    id,
    type: literal('response'),
    command: string(),
    success: literal(false),
    error: string(),
    code: optional(string()),
  });
  return { ...Object.fromEntries(successes), FailureResponse: failure };
}

/** Stream events of `--stream delta`: without the partial message. */
export const streamDelta = variant(
  'type',
  streamEvent.options.map(({ entries: { partial: _, ...entries } }) =>
    object(entries.type.literal === 'toolcall_start' ? { ...entries, id: string(), toolName: string() } : entries),
  ),
);

export function eventFramesOf(types: readonly string[]): Definitions {
  return Object.fromEntries(
    events
      .filter(({ type }) => types.includes(type))
      .map(({ type, fields }) => [
        `${pascalCase(type)}Event`,
        object({ type: literal(type), ...(fields.entries as ObjectEntries) }),
      ]),
  );
}

/** The events of all dialects. */
export const allEventFrames = eventFramesOf(events.map(({ type }) => type));

const plainEvents: Definitions = {
  // The events of pi are sent to hosts that name them in an event filter.
  ...eventFramesOf([...omp.events, ...pi.events].filter((type) => type !== 'subagent_event')),
  MessageUpdateDeltaEvent: object({ type: literal('message_update'), assistantMessageEvent: streamDelta }),
};

/** Events of subagents have the same format as those of the main session. */
const eventFrames: Definitions = {
  ...plainEvents,
  SubagentEventEvent: object({
    type: literal('subagent_event'),
    payload: object({ id: string(), event: union(Object.values(plainEvents)) }),
  }),
};

const dialogFrames: Definitions = dialogFramesOf(() => true);

/** Frames of host tools, and of the dialogs and displays that a dialect has. */
export function dialogFramesOf(has: (method: string) => boolean): Definitions {
  const options = uiRequest.options.filter(({ entries }) => has(entries.method.literal));
  const framed = options.map(({ entries }) =>
    object({ type: literal('extension_ui_request'), ...(entries as ObjectEntries) }),
  );
  return {
    HostToolCall: hostToolCall,
    HostToolCancel: hostToolCancel,
    ExtensionUiRequest: variant('method', framed as never),
  };
}

const otherFrames: Definitions = {
  Ready: object({
    type: literal('ready'),
    version: string(),
    protocolVersion: literal(1),
    dialect: picklist(['omp']),
    supportedProtocolVersions: array(number()),
    maxFrameBytes: number(),
    maxReassembledFrameBytes: number(),
  }),
  /** Sent once for each accepted prompt, after the events of its run. */
  PromptResult: object({ id, type: literal('prompt_result'), ...promptOutcome.entries }),
  HostUriRequest: hostUriRequest,
  HostUriCancel: hostUriCancel,
  /** A part of a frame that is too large for one line. Only in protocol version 2. */
  RpcChunk: object({
    type: literal('rpc_chunk'),
    chunkId: string(),
    index: number(),
    count: number(),
    byteLength: number(),
    data: string(),
  }),
  /** Sent instead of an event that is too large even for chunks. Only in protocol version 2. */
  RpcFrameError: object({ type: literal('rpc_frame_error'), originalType: string(), error: string() }),
  ...dialogFrames,
};

/** Frames of tools that run in the host. */
export const hostToolFrames = ['HostToolCall', 'HostToolCancel', 'HostToolUpdate', 'HostToolResult'];

/** All frames of a dialect by name, with the unions HostFrame and AgentFrame. */
export function wireOf(fromHost: Definitions, fromAgent: Definitions): Definitions {
  return {
    ...fromHost,
    ...fromAgent,
    HostFrame: union(Object.values(fromHost)),
    AgentFrame: union(Object.values(fromAgent)),
  };
}

export const ompFrames: Definitions = wireOf(
  { ...commandFramesOf(omp), ...ompAnswerFrames },
  { ...otherFrames, ...responseFramesOf(omp), ...eventFrames },
);

/** The fields of an object schema. Parameters are always objects. */
export function entriesOf(schema: GenericSchema): ObjectEntries {
  if (!('entries' in schema)) throw new Error(`Not an object schema: ${schema.type}`);
  return schema.entries as ObjectEntries;
}
