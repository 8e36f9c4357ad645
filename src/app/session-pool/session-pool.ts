// Opens, closes and deletes the sessions of one process, and provides what they share: models, credentials and user settings.
import { Fault } from '../../base/index.ts';
import type { AgentSession, ModelRegistry, SessionFeatures, SessionPool } from '../../contracts/index.ts';
import type { Credentials } from '../../llm/index.ts';
import { findProvider } from '../../llm/providers/providers.ts';
import { selectModel } from '../../llm/select-model.ts';
import type { MultiSessionHub, SharedServices } from '../../server/multi-session-hub.ts';
import { createSessionNotFoundFault } from '../../server/session-hub.ts';
import { createSessionIndex, type SessionIndex } from '../../store/index.ts';
import { createAgentAuth } from '../agent-auth.ts';
import { createAgentModels } from '../agent-models.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { DEFAULT_FEATURES, describeProject, openSession, type SessionPoolOptions } from './open-session.ts';
import { createUserSettings } from './user-settings.ts';

export function createSharedServices(options: SessionPoolOptions): SharedServices {
  const { agent: common } = options;
  const { ports, agentDirectory } = common;
  const agentModels = createAgentModels(common);
  const modelRegistry: ModelRegistry = common.models ?? agentModels;
  const auth = createAgentAuth(common, agentModels.credentials);
  return {
    pool: createSessionPool(options, modelRegistry),
    auth,
    userSettings: createUserSettings({
      ports,
      agentDirectory,
      saveKey: auth.saveKey,
      checkDefaultModel: (requested) => checkDefaultModel(common, agentModels.credentials, requested),
    }),
    listModels: () => modelRegistry.listAvailable(),
  };
}

function createSessionPool(options: SessionPoolOptions, modelRegistry: ModelRegistry): SessionPool {
  const { hub, agent: common } = options;
  const index = createSessionIndex({ ...common, identity: createProcessIdentity() });
  /** Ids of sessions that are being opened: a second request may arrive before the first is done. */
  const opening = new Set<string>();
  const featuresOf = new WeakMap<AgentSession, SessionFeatures>();
  const trustOffers = new WeakMap<AgentSession, () => Promise<void>>();
  const openOptions = { ...options, index, modelRegistry, featuresOf, trustOffers };
  return {
    async open(request) {
      const { id = '' } = request;
      const member = request.mustExist ? hub.find(id) : undefined;
      if (member) return { session: member.session, resumed: true, ...(await describeProject(common, member.session)) };
      if (hub.find(id) || opening.has(id)) throw new Fault('busy', `Session ${id} is open already`);
      if (id !== '') opening.add(id);
      return openSession(openOptions, request).finally(() => opening.delete(id));
    },
    find: (id) => hub.find(id)?.session,
    list: () => index.list(),
    async close(id) {
      hub.getSession(id);
      await hub.closeSession(id);
    },
    delete: (id) => deleteSession(hub, index, id),
    async offerTrust(session) {
      const offer = trustOffers.get(session);
      trustOffers.delete(session);
      await offer?.();
    },
    getFeatures: (session) => featuresOf.get(session) ?? DEFAULT_FEATURES,
  };
}

async function deleteSession(hub: MultiSessionHub, index: SessionIndex, id: string): Promise<void> {
  const isOpen = hub.find(id) !== undefined;
  await hub.closeSession(id);
  const path = await index.find(id);
  if (path !== undefined) await index.remove(path);
  else if (!isOpen) throw createSessionNotFoundFault(id);
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
    throw new Fault('invalid_params', `defaultModel: ${thrown.message}`);
  });
}
