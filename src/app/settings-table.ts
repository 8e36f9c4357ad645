// The hall: every setting, declared once: what it may be, what it is otherwise, and what it is for. Reads no file.
import {
  boolean,
  type GenericSchema,
  type InferOutput,
  integer,
  minValue,
  number,
  picklist,
  pipe,
  string,
} from 'valibot';
import { interruptMode, queueMode, thinkingLevel } from '../protocol/index.ts';
import { ON_EOF, STREAMS } from './choices.ts';

interface Setting<S extends GenericSchema, D> {
  readonly schema: S;
  readonly default: D;
  readonly doc: string;
}

function setting<S extends GenericSchema>(schema: S, value: InferOutput<S>, doc: string): Setting<S, InferOutput<S>> {
  return { schema, default: value, doc };
}

/** A setting that is absent unless someone sets it. */
function unset<S extends GenericSchema>(schema: S, doc: string): Setting<S, undefined> {
  return { schema, default: undefined, doc };
}

function whole(least: number) {
  return pipe(number(), integer('must be a whole number'), minValue(least, `must be ${least} or more`));
}

export const SETTINGS = {
  defaultProvider: unset(string(), 'The provider to begin with.'),
  defaultModel: unset(string(), 'The model to begin with.'),
  defaultThinkingLevel: setting(thinkingLevel, 'medium', 'How hard the model thinks to begin with.'),
  steeringMode: setting(queueMode, 'one-at-a-time', 'How many queued steering messages a turn takes.'),
  followUpMode: setting(queueMode, 'one-at-a-time', 'How many queued follow-up messages a turn takes.'),
  interruptMode: setting(interruptMode, 'immediate', 'Whether steering acts between tool calls or after the turn.'),
  'compaction.enabled': setting(boolean(), true, 'Summarise old history when the context window fills up.'),
  'compaction.reserveTokens': setting(whole(0), 16_384, 'Tokens kept free for the answer.'),
  'compaction.keepRecentTokens': setting(
    whole(0),
    20_000,
    'Tokens of recent history that a compaction leaves as they are.',
  ),
  'retry.enabled': setting(boolean(), true, 'Ask again when a provider is overloaded or fails for a moment.'),
  'retry.maxRetries': setting(whole(0), 3, 'How often to ask again.'),
  'retry.baseDelayMs': setting(whole(0), 2_000, 'Milliseconds before the first retry; doubled for each further one.'),
  'retry.maxDelayMs': setting(whole(0), 60_000, 'The longest wait before a retry, in milliseconds.'),
  'http.idleTimeoutMs': setting(
    whole(1_000),
    300_000,
    'Milliseconds without a byte from a provider before a request is given up.',
  ),
  'http.totalTimeoutMs': setting(whole(1_000), 3_600_000, 'Milliseconds that a whole answer may take.'),
  shellPath: unset(string(), 'The shell that runs commands.'),
  'bash.timeout': unset(
    pipe(number(), minValue(1, 'must be 1 or more')),
    'Seconds a shell command may take when the model names no limit.',
  ),
  'rpc.maxLineBytes': setting(whole(1_024), 67_108_864, 'The longest line that a host may send, in bytes.'),
  'rpc.stream': setting(
    picklist(STREAMS),
    'full',
    'Repeat the growing message in every update, or send only what is new.',
  ),
  'rpc.onEof': setting(picklist(ON_EOF), 'finish', 'When the host closes stdin: finish the running work, or abort it.'),
  dialect: setting(string(), 'omp', 'The protocol spoken in RPC mode.'),
} as const;

export type SettingKey = keyof typeof SETTINGS;

export type SettingValues = {
  readonly [K in SettingKey]: InferOutput<(typeof SETTINGS)[K]['schema']> | (typeof SETTINGS)[K]['default'];
};

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** What holds when nobody has set anything. */
export const defaultSettings = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
) as unknown as SettingValues;
