// The modes and config options of a session: approvals, model and thinking level.
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../../contracts/index.ts';
import { type Model, type PermissionMode, toPermissionMode } from '../../protocol/index.ts';
import { createInvalidParamsFault } from './errors.ts';

interface ModeDeclaration {
  readonly id: PermissionMode;
  readonly name: string;
  readonly description: string;
}

const MODES: readonly ModeDeclaration[] = [
  {
    id: 'ask',
    name: 'Ask',
    description: 'Asks before it changes files or runs commands.',
  },
  {
    id: 'auto-edit',
    name: 'Auto-edit',
    description: 'Changes files without asking. Asks before it runs commands.',
  },
  { id: 'full', name: 'Full access', description: 'Changes files and runs commands without asking.' },
  { id: 'read-only', name: 'Read-only', description: 'Reads and searches only.' },
];

export const MODE_OPTION = 'mode';
export const MODEL_OPTION = 'model';
export const THINKING_OPTION = 'thinking';

/** The setting `always` has no mode of its own. It is shown as `ask` and stays in effect until the mode is changed. */
export function getModeId({ approval: { policy } }: AgentSession): string {
  const mode = toPermissionMode(policy);
  return mode === 'always' ? 'ask' : mode;
}

export function checkMode(modeId: string, field: string): PermissionMode {
  const mode = MODES.find(({ id }) => id === modeId);
  if (mode) return mode.id;
  throw createInvalidParamsFault(`${field} must be one of ${MODES.map(({ id }) => id).join(', ')} (got ${modeId})`);
}

export function getModeState(session: AgentSession): SessionModeState {
  return {
    currentModeId: getModeId(session),
    availableModes: MODES.map(({ id, name, description }) => ({ id, name, description })),
  };
}

/** Always the complete list, as the protocol requires. `models` are the models that can be used. */
export function getConfigOptions(session: AgentSession, models: readonly Model[]): SessionConfigOption[] {
  const { current, thinkingLevel, thinkingLevels } = session.models;
  const options: SessionConfigOption[] = [
    {
      type: 'select',
      id: MODE_OPTION,
      name: 'Mode',
      description: 'When tool calls need your permission.',
      category: 'mode',
      currentValue: getModeId(session),
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
  ];
  if (current) options.push(createModelOption(current, models));
  if (thinkingLevels.length > 1) {
    options.push({
      type: 'select',
      id: THINKING_OPTION,
      name: 'Thinking',
      description: 'How long the model thinks before it answers.',
      category: 'thought_level',
      currentValue: thinkingLevel,
      options: thinkingLevels.map((level) => ({ value: level, name: level })),
    });
  }
  return options;
}

/** Grouped by provider. The current model is always part of the list, also when its provider does not list it. */
function createModelOption(current: Model, models: readonly Model[]): SessionConfigOption {
  const isListed = models.some((model) => getModelValue(model) === getModelValue(current));
  const groups = new Map<string, Model[]>();
  for (const model of isListed ? models : [current, ...models])
    groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return {
    type: 'select',
    id: MODEL_OPTION,
    name: 'Model',
    category: 'model',
    currentValue: getModelValue(current),
    options: [...groups].map(([provider, members]) => ({
      group: provider,
      name: provider,
      options: members.map((model) => ({ value: getModelValue(model), name: model.name })),
    })),
  };
}

function getModelValue({ provider, id }: Model): string {
  return `${provider}/${id}`;
}

/** A model id can contain slashes, a provider id cannot. */
export function parseModelValue(value: string): { provider: string; modelId: string } {
  const slash = value.indexOf('/');
  if (slash <= 0) throw createInvalidParamsFault(`value must be PROVIDER/MODEL (got ${value})`);
  return { provider: value.slice(0, slash), modelId: value.slice(slash + 1) };
}
