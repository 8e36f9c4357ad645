// Schemas of the lines of a session log. The format is version 3 of pi, so that pi's tools can read the files.
import {
  array,
  type GenericSchema,
  type InferOutput,
  lazy,
  literal,
  looseObject,
  nullable,
  number,
  object,
  optional,
  string,
  union,
  unknown,
  variant,
} from 'valibot';
import { agentMessage } from './message.ts';
import { thinkingLevel } from './model.ts';

export const SESSION_VERSION = 3;

export const sessionHeader = looseObject({
  type: literal('session'),
  version: optional(number()),
  id: string(),
  timestamp: string(),
  cwd: string(),
  parentSession: optional(string()),
  /** The file of the session before it was moved to another working directory. */
  movedFrom: optional(string()),
});

const commonFields = { id: string(), parentId: nullable(string()), timestamp: string() };

/** Unknown fields and entry types are kept unchanged, because other programs write to these files too. */
export const sessionEntry = variant('type', [
  looseObject({
    ...commonFields,
    type: literal('message'),
    message: agentMessage,
    /** The queued message that this one delivers; see the `parley.queue` custom entries. */
    queueId: optional(string()),
    /** Of an answer with tool calls: the id of the session whose log has a `parley.tool_start` entry for each call that was started. */
    startsRecordedIn: optional(string()),
  }),
  looseObject({ ...commonFields, type: literal('thinking_level_change'), thinkingLevel }),
  looseObject({ ...commonFields, type: literal('model_change'), provider: string(), modelId: string() }),
  looseObject({
    ...commonFields,
    type: literal('compaction'),
    summary: string(),
    firstKeptEntryId: string(),
    tokensBefore: number(),
    details: optional(unknown()),
  }),
  looseObject({ ...commonFields, type: literal('branch_summary'), fromId: string(), summary: string() }),
  looseObject({ ...commonFields, type: literal('custom'), customType: string(), data: optional(unknown()) }),
  looseObject({
    ...commonFields,
    type: literal('custom_message'),
    customType: string(),
    content: union([string(), array(unknown())]),
    display: optional(unknown()),
    details: optional(unknown()),
  }),
  looseObject({ ...commonFields, type: literal('label'), targetId: string(), label: optional(string()) }),
  /** Names of the rules that interrupted an answer of the model. */
  looseObject({ ...commonFields, type: literal('ttsr_injection'), injectedRules: array(string()) }),
  looseObject({ ...commonFields, type: literal('session_info'), name: optional(string()) }),
]);

/** An entry with its child entries. */
export interface EntryTree {
  entry: SessionEntry;
  children: EntryTree[];
  label?: string;
  labelTimestamp?: string;
}

export const entryTree: GenericSchema<EntryTree> = object({
  entry: sessionEntry,
  children: array(lazy(() => entryTree)),
  label: optional(string()),
  labelTimestamp: optional(string()),
}) as GenericSchema<EntryTree>;

export type SessionHeader = InferOutput<typeof sessionHeader>;
export type SessionEntry = InferOutput<typeof sessionEntry>;
/** An entry before it is appended, without the fields that the log assigns. */
export type EntryBody = SessionEntry extends infer E
  ? E extends SessionEntry
    ? Omit<{ [K in keyof E as string extends K ? never : K]: E[K] }, 'id' | 'parentId' | 'timestamp'>
    : never
  : never;
