// session/set_mode and session/set_config_option.
import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk';
import { boolean, string, union } from 'valibot';
import { createInvalidParamsFault } from '../errors.ts';
import { type AcpMethod, type MethodContext, type MethodReply, sessionMethod } from '../method.ts';
import {
  checkMode,
  getConfigOptions,
  getModeId,
  MODE_OPTION,
  MODEL_OPTION,
  parseModelValue,
  THINKING_OPTION,
} from '../session-config.ts';

/** The command of each config option, and its params. */
const OPTIONS: Readonly<Record<string, { command: string; toParams(value: string): unknown }>> = {
  [MODE_OPTION]: {
    command: 'set_permission_mode',
    toParams: (value) => ({ mode: checkMode(value, 'value') }),
  },
  [MODEL_OPTION]: { command: 'set_model', toParams: parseModelValue },
  [THINKING_OPTION]: { command: 'set_thinking_level', toParams: (level) => ({ level }) },
};

export const configMethods: Record<string, AcpMethod> = {
  'session/set_mode': sessionMethod({
    command: 'set_permission_mode',
    params: { sessionId: string(), modeId: string() },
    toParams: ({ modeId }) => ({ mode: checkMode(modeId, 'modeId') }),
    async toReply(_, context) {
      const { configOptions } = await readOptions(context);
      return createConfigReply(context, {}, [
        modeUpdate(context),
        { sessionUpdate: 'config_option_update', configOptions },
      ]);
    },
  }),
  'session/set_config_option': sessionMethod({
    command: ({ configId }) => findOption(configId).command,
    params: { sessionId: string(), configId: string(), value: union([string(), boolean()]) },
    async toParams({ configId, value }, context) {
      if (typeof value !== 'string') throw createInvalidParamsFault(`value of ${configId} must be a string`);
      const { configOptions } = await readOptions(context);
      const listed = configOptions.find(({ id }) => id === configId);
      if (!listed || !listValues(listed).includes(value))
        throw createInvalidParamsFault(`value is not one of the options of ${configId} (got ${value})`);
      return findOption(configId).toParams(value);
    },
    async toReply(_, context, { configId }) {
      const after = configId === MODE_OPTION ? [modeUpdate(context)] : [];
      return createConfigReply(context, await readOptions(context), after);
    },
  }),
};

function findOption(configId: string) {
  const option = Object.hasOwn(OPTIONS, configId) ? OPTIONS[configId] : undefined;
  if (option) return option;
  throw createInvalidParamsFault(`configId must be one of ${Object.keys(OPTIONS).join(', ')} (got ${configId})`);
}

function listValues(option: SessionConfigOption): string[] {
  if (option.type !== 'select') return [];
  return option.options.flatMap((item) => ('group' in item ? item.options : [item])).map(({ value }) => value);
}

async function readOptions({ call: { session }, connection }: MethodContext) {
  return { configOptions: getConfigOptions(session, await connection.readModels(session)) };
}

function modeUpdate({ call: { session } }: MethodContext): SessionUpdate {
  return { sessionUpdate: 'current_mode_update', currentModeId: getModeId(session) };
}

function createConfigReply(
  { call: { session } }: MethodContext,
  result: unknown,
  after: readonly SessionUpdate[],
): MethodReply {
  return { sessionId: session.id, result, after };
}
