// First floor, dialects: refusals of params that Opal has its own words for. What is not looked at here the command checks.
import { isRecord, kindOf } from '../../base/index.ts';
import { invalidParams, type OpalFault } from './errors.ts';

type Fields = Record<string, unknown>;

const FEATURES: readonly string[] = ['sub_agents', 'skills', 'debug', 'mcp'];
/** A name of Erlang's kind, without or with a host. */
const NODE_NAME = /^[\w-]+(@[\w.-]+)?$/;

export function checkStart({ model, features }: Fields): OpalFault | undefined {
  if (model !== undefined && !(isRecord(model) && typeof model.id === 'string' && model.id !== '')) {
    return invalidParams('model must have a non-empty id string');
  }
  return checkFeatures(features);
}

export function checkConfig({ features, tools, distribution }: Fields): OpalFault | undefined {
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === 'string'))) {
    return invalidParams('tools must be an array of strings');
  }
  return checkFeatures(features) ?? checkDistribution(distribution);
}

/** The command behind it calls this by another name. */
export function checkText({ text }: Fields): OpalFault | undefined {
  if (typeof text !== 'string') return invalidParams(`text must be a string (got ${kindOf(text)})`);
  return text.trim() === '' ? invalidParams('text cannot be empty') : undefined;
}

/** A list has keys, too, but nobody means them. */
export function checkSettings({ settings }: Fields): OpalFault | undefined {
  return isRecord(settings) ? undefined : invalidParams(`settings must be an object (got ${kindOf(settings)})`);
}

function checkFeatures(features: unknown): OpalFault | undefined {
  if (features === undefined) return undefined;
  if (!isRecord(features)) return invalidParams('features must be an object');
  const odd = Object.keys(features).filter((name) => !FEATURES.includes(name));
  if (odd.length > 0) return invalidParams('Unknown feature keys', `unknown features: ${odd.join(', ')}`);
  const wrong = Object.keys(features).find((name) => typeof features[name] !== 'boolean');
  return wrong === undefined ? undefined : invalidParams('Invalid feature value', `${wrong} must be a boolean`);
}

/** Opal can join a cluster of its runtime. Here there is none: only leaving it is possible. */
function checkDistribution(distribution: unknown): OpalFault | undefined {
  if (distribution === undefined || distribution === null) return undefined;
  const isNamed = isRecord(distribution) && typeof distribution.name === 'string' && NODE_NAME.test(distribution.name);
  if (!isNamed) return invalidParams('Invalid distribution config: name must be the name of a node');
  return invalidParams('Failed to start distribution: this server has no nodes to join; leave distribution out');
}
