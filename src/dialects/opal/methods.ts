// The methods of Opal and the commands that they call.
import { boolean, type GenericSchema, literal, object, string } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { Disposition } from '../../contracts/index.ts';
import type { ErrorTexts, OpalFault } from './errors.ts';
import type { OpalEvent } from './json-rpc.ts';
import { checkConfigParams, checkSettingsParam, checkStartParams, checkTextParam } from './param-checks.ts';

type MethodParams = Record<string, unknown>;

export interface OpalMethodSpec extends ErrorTexts {
  readonly command: string;
  /** `session_id` selects the session and is not passed to the command. */
  readonly isForSession: boolean;
  /** Names of required params, in the order in which the error lists them. */
  readonly requiredParams: readonly string[];
  /** Checks for which Opal defines its own error texts. */
  readonly checkParams?: (params: MethodParams) => OpalFault | undefined;
  readonly mapParams?: (params: MethodParams) => MethodParams;
  /** Replied to when the call is accepted, not when it is done. */
  readonly isRepliedOnAcceptance?: true;
  readonly mapResult?: (result: unknown, context: { version: string; disposition: Disposition | undefined }) => unknown;
  /** Schema of the value that `mapResult` returns, if that is not an empty object. */
  readonly resultSchema?: GenericSchema;
  /** Events sent after the response. */
  readonly createEventsAfter?: (
    result: unknown,
    requestParams: MethodParams,
    disposition: Disposition | undefined,
  ) => readonly OpalEvent[];
}

export const PROTOCOL_VERSION = '0.1.0';

const withoutSession: Pick<OpalMethodSpec, 'isForSession' | 'requiredParams'> = {
  isForSession: false,
  requiredParams: [],
};
const forSession = (...more: string[]): Pick<OpalMethodSpec, 'isForSession' | 'requiredParams'> => ({
  isForSession: true,
  requiredParams: ['session_id', ...more],
});
const toEmptyResult = () => ({});

const createPromptMethod = (
  streamingBehavior: 'steer' | 'followUp',
): Omit<OpalMethodSpec, 'isForSession' | 'requiredParams'> => ({
  command: 'prompt',
  checkParams: checkTextParam,
  mapParams: ({ text }) => ({ message: text, streamingBehavior }),
  isRepliedOnAcceptance: true,
  createEventsAfter: (_, { text }, disposition) => (disposition === 'queued' ? [{ type: 'message_queued', text }] : []),
});

export const OPAL_METHODS: ReadonlyMap<string, OpalMethodSpec> = new Map(
  Object.entries<OpalMethodSpec>({
    'session/start': {
      command: 'start_session',
      ...withoutSession,
      checkParams: checkStartParams,
      failureMessage: 'Failed to start session',
      createEventsAfter: createStartEvents,
    },
    'session/list': { command: 'list_sessions', ...withoutSession },
    'session/history': { command: 'session_history', ...forSession() },
    'session/branch': {
      command: 'move_to',
      ...forSession('entry_id'),
      failureMessage: 'Branch failed',
      describeMissingSession: (id) => `No session process for id: ${id}`,
    },
    'session/compact': { command: 'compact_session', ...forSession(), failureMessage: 'Compaction failed' },
    'session/delete': {
      command: 'delete_session',
      isForSession: false,
      requiredParams: ['session_id'],
      failureMessage: 'Delete failed',
      describeMissingSession: (id) => id,
    },
    'agent/prompt': {
      ...createPromptMethod('followUp'),
      ...forSession('text'),
      mapResult: (_, { disposition }) => ({ queued: disposition === 'queued' }),
      resultSchema: object({ queued: boolean() }),
    },
    'agent/steer': { ...createPromptMethod('steer'), ...forSession('text'), mapResult: toEmptyResult },
    'agent/abort': {
      command: 'stop_run',
      ...forSession(),
      mapResult: toEmptyResult,
      createEventsAfter: createAbortEvents,
    },
    'agent/state': { command: 'agent_state', ...forSession() },
    'models/list': { command: 'list_models', ...withoutSession },
    'model/set': { command: 'choose_model', ...forSession('model_id') },
    'thinking/set': { command: 'choose_thinking', ...forSession('level') },
    'tasks/list': { command: 'list_tasks', ...forSession(), failureMessage: 'Tasks query failed' },
    'settings/get': { command: 'get_settings', ...withoutSession },
    'settings/save': {
      command: 'save_settings',
      isForSession: false,
      requiredParams: ['settings'],
      checkParams: checkSettingsParam,
      failureMessage: 'Failed to save settings',
      keepsFieldNames: true,
    },
    'auth/status': { command: 'auth_status', ...withoutSession },
    'auth/set_key': { command: 'save_key', isForSession: false, requiredParams: ['provider', 'api_key'] },
    'auth/login': { command: 'begin_login', ...withoutSession, failureMessage: 'Login flow failed' },
    'auth/poll': {
      command: 'await_login',
      isForSession: false,
      requiredParams: ['device_code', 'interval'],
      failureMessage: 'Auth polling failed',
    },
    'opal/config/get': { command: 'get_config', ...forSession() },
    'opal/config/set': { command: 'set_config', ...forSession(), checkParams: checkConfigParams },
    'opal/ping': { command: 'ping', ...withoutSession, mapResult: toEmptyResult },
    'opal/version': {
      command: 'ping',
      ...withoutSession,
      mapResult: (_, { version }) => ({ server_version: version, protocol_version: PROTOCOL_VERSION }),
      resultSchema: object({ server_version: string(), protocol_version: literal(PROTOCOL_VERSION) }),
    },
  }),
);

/** Events sent after session/start, when the host knows the session id. */
function createStartEvents(result: unknown): readonly OpalEvent[] {
  if (!isRecord(result)) return [];
  const { context_files: files } = result;
  const isFound = Array.isArray(files) && files.length > 0;
  const found: readonly OpalEvent[] = isFound ? [{ type: 'context_discovered', files }] : [];
  return result.resumed ? [{ type: 'agent_recovered' }, ...found] : found;
}

/** A running run sends agent_abort when it ends. Without a run, it is sent here. */
function createAbortEvents(result: unknown): readonly OpalEvent[] {
  return isRecord(result) && !result.running ? [{ type: 'agent_abort' }] : [];
}
