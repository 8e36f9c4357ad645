// Param checks for which Opal defines its own error texts. The commands check everything else.
import { describeType, isRecord } from '../../../base/index.ts';
import { createInvalidParamsFault, type OpalFault } from '../errors.ts';

type RequestParams = Record<string, unknown>;

const FEATURES: readonly string[] = ['sub_agents', 'skills', 'debug', 'mcp'];
/** An Erlang node name, with or without a host. */
const ERLANG_NODE_NAME = /^[\w-]+(@[\w.-]+)?$/;

export function checkStartParams({ model, features }: RequestParams): OpalFault | undefined {
  if (model !== undefined && !(isRecord(model) && typeof model.id === 'string' && model.id !== '')) {
    return createInvalidParamsFault('model must have a non-empty id string');
  }
  return checkFeatures(features);
}

export function checkConfigParams({ features, tools, distribution }: RequestParams): OpalFault | undefined {
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === 'string'))) {
    return createInvalidParamsFault('tools must be an array of strings');
  }
  return checkFeatures(features) ?? checkDistribution(distribution);
}

/** Checked here because the command names this param `message`. */
export function checkTextParam({ text }: RequestParams): OpalFault | undefined {
  if (typeof text !== 'string') return createInvalidParamsFault(`text must be a string (got ${describeType(text)})`);
  return text.trim() === '' ? createInvalidParamsFault('text cannot be empty') : undefined;
}

/** An array is not accepted, although it has keys. */
export function checkSettingsParam({ settings }: RequestParams): OpalFault | undefined {
  return isRecord(settings)
    ? undefined
    : createInvalidParamsFault(`settings must be an object (got ${describeType(settings)})`);
}

function checkFeatures(features: unknown): OpalFault | undefined {
  if (features === undefined) return undefined;
  if (!isRecord(features)) return createInvalidParamsFault('features must be an object');
  const unknownKeys = Object.keys(features).filter((name) => !FEATURES.includes(name));
  if (unknownKeys.length > 0)
    return createInvalidParamsFault('Unknown feature keys', `unknown features: ${unknownKeys.join(', ')}`);
  const nonBooleanKey = Object.keys(features).find((name) => typeof features[name] !== 'boolean');
  return nonBooleanKey === undefined
    ? undefined
    : createInvalidParamsFault('Invalid feature value', `${nonBooleanKey} must be a boolean`);
}

/** Opal can join an Erlang cluster. Parley cannot, so only `null` or no value is accepted. */
function checkDistribution(distribution: unknown): OpalFault | undefined {
  if (distribution === undefined || distribution === null) return undefined;
  const isNamed =
    isRecord(distribution) && typeof distribution.name === 'string' && ERLANG_NODE_NAME.test(distribution.name);
  if (!isNamed) return createInvalidParamsFault('Invalid distribution config: name must be the name of a node');
  return createInvalidParamsFault(
    'Failed to start distribution: this server has no nodes to join; leave distribution out',
  );
}
