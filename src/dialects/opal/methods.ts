// First floor, dialects: every method of Opal, and the command that is meant by it.
import { boolean, type GenericSchema, literal, object, string } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { Disposition } from '../../contracts/index.ts';
import { checkConfig, checkSettings, checkStart, checkText } from './checks.ts';
import type { OpalEvent } from './envelope.ts';
import type { OpalFault, Wording } from './errors.ts';

type Fields = Record<string, unknown>;

export interface Method extends Wording {
  readonly command: string;
  /** `session_id` says which session is spoken to, and is no parameter of the command. */
  readonly session: boolean;
  /** Params that must be there, in the order in which a refusal names them. */
  readonly required: readonly string[];
  /** What is wrong with them, where Opal has its own words for that. */
  readonly check?: (given: Fields) => OpalFault | undefined;
  readonly params?: (given: Fields) => Fields;
  /** Answered when the work has begun, not when it is done. */
  readonly early?: true;
  readonly result?: (result: unknown, about: { version: string; disposition: Disposition | undefined }) => unknown;
  /** What `result` makes of it, where that is not empty. */
  readonly answer?: GenericSchema;
  /** What is told behind the answer; `said` is what it was called with. */
  readonly after?: (result: unknown, said: Fields, disposition: Disposition | undefined) => readonly OpalEvent[];
}

export const PROTOCOL_VERSION = '0.1.0';

const none: Pick<Method, 'session' | 'required'> = { session: false, required: [] };
const ofSession = (...more: string[]): Pick<Method, 'session' | 'required'> => ({
  session: true,
  required: ['session_id', ...more],
});
const nothing = () => ({});

const said = (streamingBehavior: 'steer' | 'followUp'): Omit<Method, 'session' | 'required'> => ({
  command: 'prompt',
  check: checkText,
  params: ({ text }) => ({ message: text, streamingBehavior }),
  early: true,
  after: (_, { text }, disposition) => (disposition === 'queued' ? [{ type: 'message_queued', text }] : []),
});

export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries<Method>({
    'session/start': {
      command: 'start_session',
      ...none,
      check: checkStart,
      failure: 'Failed to start session',
      after: begun,
    },
    'session/list': { command: 'list_sessions', ...none },
    'session/history': { command: 'session_history', ...ofSession() },
    'session/branch': {
      command: 'move_to',
      ...ofSession('entry_id'),
      failure: 'Branch failed',
      absent: (id) => `No session process for id: ${id}`,
    },
    'session/compact': { command: 'compact_session', ...ofSession(), failure: 'Compaction failed' },
    'session/delete': {
      command: 'delete_session',
      session: false,
      required: ['session_id'],
      failure: 'Delete failed',
      absent: (id) => id,
    },
    'agent/prompt': {
      ...said('followUp'),
      ...ofSession('text'),
      result: (_, { disposition }) => ({ queued: disposition === 'queued' }),
      answer: object({ queued: boolean() }),
    },
    'agent/steer': { ...said('steer'), ...ofSession('text'), result: nothing },
    'agent/abort': { command: 'stop_run', ...ofSession(), result: nothing, after: stopped },
    'agent/state': { command: 'agent_state', ...ofSession() },
    'models/list': { command: 'list_models', ...none },
    'model/set': { command: 'choose_model', ...ofSession('model_id') },
    'thinking/set': { command: 'choose_thinking', ...ofSession('level') },
    'tasks/list': { command: 'list_tasks', ...ofSession(), failure: 'Tasks query failed' },
    'settings/get': { command: 'get_settings', ...none },
    'settings/save': {
      command: 'save_settings',
      session: false,
      required: ['settings'],
      check: checkSettings,
      failure: 'Failed to save settings',
      verbatim: true,
    },
    'auth/status': { command: 'auth_status', ...none },
    'auth/set_key': { command: 'save_key', session: false, required: ['provider', 'api_key'] },
    'auth/login': { command: 'begin_login', ...none, failure: 'Login flow failed' },
    'auth/poll': {
      command: 'await_login',
      session: false,
      required: ['device_code', 'interval'],
      failure: 'Auth polling failed',
    },
    'opal/config/get': { command: 'get_config', ...ofSession() },
    'opal/config/set': { command: 'set_config', ...ofSession(), check: checkConfig },
    'opal/ping': { command: 'ping', ...none, result: nothing },
    'opal/version': {
      command: 'ping',
      ...none,
      result: (_, { version }) => ({ server_version: version, protocol_version: PROTOCOL_VERSION }),
      answer: object({ server_version: string(), protocol_version: literal(PROTOCOL_VERSION) }),
    },
  }),
);

/** What a session says of itself once its host knows its name. */
function begun(result: unknown): readonly OpalEvent[] {
  if (!isRecord(result)) return [];
  const { context_files: files } = result;
  const isFound = Array.isArray(files) && files.length > 0;
  const found: readonly OpalEvent[] = isFound ? [{ type: 'context_discovered', files }] : [];
  return result.resumed ? [{ type: 'agent_recovered' }, ...found] : found;
}

/** A run that is stopped tells so at its end; one that is not there never will. */
function stopped(result: unknown): readonly OpalEvent[] {
  return isRecord(result) && !result.running ? [{ type: 'agent_abort' }] : [];
}
