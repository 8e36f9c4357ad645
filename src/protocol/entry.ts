// Ground floor: one line of the session log. The shapes are those of pi's version 3, so that its tools read our files.
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
});

const base = { id: string(), parentId: nullable(string()), timestamp: string() };

/** Unknown fields and unknown entry types are kept as they are: other programs write here too. */
export const sessionEntry = variant('type', [
  looseObject({
    ...base,
    type: literal('message'),
    message: agentMessage,
    /** The queued message that this one delivers; see the `parley.queue` custom entries. */
    queueId: optional(string()),
  }),
  looseObject({ ...base, type: literal('thinking_level_change'), thinkingLevel }),
  looseObject({ ...base, type: literal('model_change'), provider: string(), modelId: string() }),
  looseObject({
    ...base,
    type: literal('compaction'),
    summary: string(),
    firstKeptEntryId: string(),
    tokensBefore: number(),
    details: optional(unknown()),
  }),
  looseObject({ ...base, type: literal('branch_summary'), fromId: string(), summary: string() }),
  looseObject({ ...base, type: literal('custom'), customType: string(), data: optional(unknown()) }),
  looseObject({
    ...base,
    type: literal('custom_message'),
    customType: string(),
    content: union([string(), array(unknown())]),
    display: optional(unknown()),
    details: optional(unknown()),
  }),
  looseObject({ ...base, type: literal('label'), targetId: string(), label: optional(string()) }),
  /** Rules that interrupted an answer. */
  looseObject({ ...base, type: literal('ttsr_injection'), injectedRules: array(string()) }),
  looseObject({ ...base, type: literal('session_info'), name: optional(string()) }),
]);

/** An entry with what grew from it. */
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
/** An entry before the tree has given it a place. */
export type EntryBody = SessionEntry extends infer E
  ? E extends SessionEntry
    ? Omit<{ [K in keyof E as string extends K ? never : K]: E[K] }, 'id' | 'parentId' | 'timestamp'>
    : never
  : never;
