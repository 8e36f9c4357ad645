// Opens and deletes sessions for a multi-session host, and answers the requests that belong to no session.
import { Fault } from '../../base/index.ts';
import type { AgentSession, ModelRegistry, SessionFeatures, SessionPool } from '../../contracts/index.ts';
import type { Credentials } from '../../llm/index.ts';
import { findProvider } from '../../llm/providers/providers.ts';
import { selectModel } from '../../llm/select-model.ts';
import type { MultiSessionHub } from '../../server/multi-session-hub.ts';
import { createSessionIndex } from '../../store/index.ts';
import { createAgentModels } from '../agent-models.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { DEFAULT_FEATURES, openSession, type SessionPoolOptions } from './open-session.ts';
import { createProviderAuth } from './provider-auth.ts';
import { readUserSettings, saveUserSettings } from './user-settings.ts';

export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { hub, agent: common } = options;
  const { ports, agentDirectory } = common;
  const index = createSessionIndex({ ...common, identity: createProcessIdentity() });
  const agentModels = createAgentModels(common);
  const modelRegistry: ModelRegistry = common.models ?? agentModels;
  const { fetch, clock } = ports;
  const auth = createProviderAuth(agentModels.credentials, { fetch, clock, env: common.env ?? process.env });
  const settingsOptions = { ports, agentDirectory };
  /** Ids of sessions that are being opened: a second request may arrive before the first is done. */
  const opening = new Set<string>();
  const featuresOf = new WeakMap<AgentSession, SessionFeatures>();
  const openOptions = { ...options, index, modelRegistry, featuresOf };
  return {
    async open(request) {
      const { id = '' } = request;
      if (hub.find(id) || opening.has(id)) throw new Fault('busy', `Session ${id} is open already`);
      if (id !== '') opening.add(id);
      return openSession(openOptions, request).finally(() => opening.delete(id));
    },
    list: () => index.list(),
    delete: (id) => deleteSession(hub, index, id),
    getFeatures: (session) => featuresOf.get(session) ?? DEFAULT_FEATURES,
    listModels: () => modelRegistry.listAvailable(),
    readSettings: () => readUserSettings(settingsOptions),
    saveSettings: (changes) =>
      saveUserSettings(settingsOptions, changes, auth.saveKey, (requested) =>
        checkDefaultModel(common, agentModels.credentials, requested),
      ),
    auth,
  };
}

async function deleteSession(
  hub: MultiSessionHub,
  index: ReturnType<typeof createSessionIndex>,
  id: string,
): Promise<void> {
  const isOpen = hub.find(id) !== undefined;
  await hub.closeSession(id);
  const path = await index.find(id);
  if (path !== undefined) await index.remove(path);
  else if (!isOpen) throw new Fault('not_found', `Session not found: ${id}`, { details: { session: id } });
}

/**
 * Chooses the model as the next start will do. A model that cannot be checked is accepted: the provider lists its models only after
 * a login, or the user's own model server is not running.
 */
async function checkDefaultModel(
  common: AgentOptions,
  credentials: Credentials,
  requested: { provider: string | undefined; model: string },
): Promise<void> {
  const needsLogin = findProvider(requested.provider ?? '')?.listFormat === 'copilot';
  if (needsLogin && !(await credentials.readSnapshot()).hasCredential(requested.provider ?? '')) return;
  const { models } = common;
  const choose = async () => {
    if (models) return selectModel(await models.listAvailable(), requested);
    return createAgentModels({
      ...common,
      ...requested,
      apiKey: undefined,
      modelPatterns: undefined,
      warn: undefined,
    }).chooseInitial();
  };
  await choose().catch((thrown: unknown) => {
    if (!(thrown instanceof Fault && thrown.code === 'not_found')) return;
    throw new Fault('invalid_params', `default_model: ${thrown.message.replace('--list-models', 'models/list')}`);
  });
}
