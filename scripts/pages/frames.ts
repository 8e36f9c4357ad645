// Documents: every frame of the omp wire as a schema, put together from the declarations. Nothing is declared twice.
import {
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
import type { Command } from '../../src/contracts/index.ts';
import { events, streamEvent, uiAnswer, uiRequest } from '../../src/protocol/index.ts';
import { pascalCase } from './naming.ts';

export type Definitions = Readonly<Record<string, GenericSchema>>;

export const allCommands = commands as readonly unknown[] as readonly Command[];

const id = optional(union([string(), number()]));

export const commandFrames: Definitions = Object.fromEntries(
  allCommands.map(({ name, params }) => [
    `${pascalCase(name)}Command`,
    object({ id, type: literal(name), ...entriesOf(params) }),
  ]),
);

const answer: Definitions = {
  ExtensionUiResponse: union(
    uiAnswer.options.map(({ entries }) =>
      object({ type: literal('extension_ui_response'), id: string(), ...(entries as ObjectEntries) }),
    ),
  ),
};

const responseFrames: Definitions = {
  ...Object.fromEntries(
    allCommands.map(({ name, result }) => [
      `${pascalCase(name)}Response`,
      object({
        id,
        type: literal('response'),
        command: literal(name),
        success: literal(true),
        ...(result ? { data: result } : {}),
      }),
    ]),
  ),
  FailureResponse: object({
    id,
    type: literal('response'),
    command: string(),
    success: literal(false),
    error: string(),
  }),
};

/** What travels with `--stream delta`: the same stream events without the growing message. */
const streamDelta = variant(
  'type',
  streamEvent.options.map(({ entries: { partial: _, ...entries } }) =>
    object(entries.type.literal === 'toolcall_start' ? { ...entries, id: string(), toolName: string() } : entries),
  ),
);

export const eventFrames: Definitions = {
  ...Object.fromEntries(
    events.map(({ type, fields }) => [
      `${pascalCase(type)}Event`,
      object({ type: literal(type), ...(fields.entries as ObjectEntries) }),
    ]),
  ),
  MessageUpdateDeltaEvent: object({ type: literal('message_update'), assistantMessageEvent: streamDelta }),
};

const others: Definitions = {
  Ready: object({
    type: literal('ready'),
    version: string(),
    protocolVersion: literal(1),
    dialect: picklist(['omp']),
  }),
  ExtensionUiRequest: variant(
    'method',
    uiRequest.options.map(({ entries }) =>
      object({ type: literal('extension_ui_request'), ...(entries as ObjectEntries) }),
    ) as never,
  ),
};

/** The whole wire, by name; the last two are everything that a host may send and everything it may get. */
export const ompFrames: Definitions = {
  ...commandFrames,
  ...answer,
  ...responseFrames,
  ...eventFrames,
  ...others,
  HostFrame: union(Object.values({ ...commandFrames, ...answer })),
  AgentFrame: union(Object.values({ ...others, ...responseFrames, ...eventFrames })),
};

/** The fields of an object schema: parameters are always objects. */
export function entriesOf(schema: GenericSchema): ObjectEntries {
  if (!('entries' in schema)) throw new Error(`Not an object schema: ${schema.type}`);
  return schema.entries as ObjectEntries;
}
