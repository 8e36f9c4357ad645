// Opens, closes and deletes the sessions of one process, and provides what they share: models, credentials and user settings.
import { Fault } from '../../base/index.ts';
import type {
  AgentSession,
  ModelRegistry,
  OpenSessionRequest,
  OpenSessionResult,
  SessionFeatures,
  SessionIndex,
  SessionPool,
} from '../../contracts/index.ts';
import type { MultiSessionHub, SharedServices } from '../../server/multi-session-hub.ts';
import { createSessionNotFoundFault } from '../../server/session-hub.ts';
import { createSessionIndex } from '../../store/session-index.ts';
import { createAgentModels } from '../agent-models.ts';
import type { AgentOptions } from '../agent-options.ts';
import { checkDefaultModel } from '../check-default-model.ts';
import { createLazyAuth } from '../lazy-auth.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { ChoiceStore } from './choice-store.ts';
import { DEFAULT_FEATURES } from './default-features.ts';
import { moveInPool } from './move-session.ts';
import { describeProject, openSession, type SessionPoolOptions } from './open-session.ts';
import type { SessionWorkspaces } from './session-workspaces.ts';
import { trackPending } from './track-pending.ts';
import { createUserSettings } from './user-settings.ts';

export function createSharedServices(options: SessionPoolOptions): SharedServices {
  const { agent: common } = options;
  const { ports, agentDirectory } = common;
  const agentModels = createAgentModels(common);
  const { credentialPorts } = common;
  const modelRegistry: ModelRegistry =
    common.models ?? (credentialPorts ? createAgentModels({ ...common, ports: credentialPorts }) : agentModels);
  const auth = createLazyAuth(common, agentModels.credentials);
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

/** Work on single sessions, by their ids. Requests to open them wait. */
interface PendingSessions {
  /** A second request may arrive before the first is done. */
  readonly opening: Map<string, Promise<unknown>>;
  readonly moving: Map<string, Promise<unknown>>;
  /** Sessions that are being closed or deleted. */
  readonly ending: Map<string, Promise<unknown>>;
}

function createSessionPool(options: SessionPoolOptions, modelRegistry: ModelRegistry): SessionPool {
  const { hub, agent: common } = options;
  const index = common.storage?.index ?? createSessionIndex({ ...common, identity: createProcessIdentity() });
  const pending: PendingSessions = { opening: new Map(), moving: new Map(), ending: new Map() };
  const { opening, moving, ending } = pending;
  const featuresOf = new WeakMap<AgentSession, SessionFeatures>();
  const trustOffers = new WeakMap<AgentSession, () => Promise<void>>();
  const moveSession: AgentOptions['moveSession'] = (reference, cwd) =>
    moveInPool(
      {
        ...{ hub, index, opening, moving, featuresOf, requests },
        open: (request) => openSession({ ...openOptions, isReopening: true }, request),
        checkMove: (path) => options.workspaces?.checkMove(path),
      },
      reference,
      cwd,
    );
  const agent: AgentOptions = { ...common, moveSession };
  const requests = new WeakMap<AgentSession, OpenSessionRequest>();
  const choices = options.storesChoices ? new ChoiceStore(index) : undefined;
  const openOptions = { ...options, agent, index, modelRegistry, featuresOf, trustOffers, choices };
  return {
    async open(request) {
      const { id } = request;
      const opened =
        id === undefined
          ? await openSession(openOptions, request)
          : await openWithId({ openOptions, pending }, id, request);
      requests.set(opened.session, request);
      return opened;
    },
    find: (id) => (ending.has(id) ? undefined : hub.find(id)?.session),
    list: () => index.list(),
    locate: (pathOrId) => index.locate(pathOrId),
    async close(id) {
      const alreadyEnding = ending.get(id);
      if (alreadyEnding) return void (await alreadyEnding);
      hub.getSession(id);
      await trackPending(ending, id, hub.closeSession(id));
    },
    async delete(id) {
      await ending.get(id);
      if (opening.has(id) || moving.has(id))
        throw new Fault('busy', `Session ${id} is being opened or moved. Try again in a moment.`);
      await trackPending(ending, id, deleteSession(hub, index, id, options.workspaces));
      choices?.forget(id);
    },
    ...(choices ? { saveChoices: (session: AgentSession) => choices.save(session) } : {}),
    async offerTrust(session) {
      const offer = trustOffers.get(session);
      trustOffers.delete(session);
      await offer?.();
    },
    getFeatures: (session) => featuresOf.get(session) ?? DEFAULT_FEATURES,
    async loadPorts() {
      const { createCommandPorts } = await import('../command-ports/command-ports.ts');
      return createCommandPorts(agent);
    },
  };
}

async function openWithId(
  { openOptions, pending }: { openOptions: Parameters<typeof openSession>[0]; pending: PendingSessions },
  id: string,
  request: OpenSessionRequest,
): Promise<OpenSessionResult> {
  const { opening, moving, ending } = pending;
  const findPending = () => moving.get(id) ?? ending.get(id) ?? (request.mustExist ? opening.get(id) : undefined);
  for (let work = findPending(); work; work = findPending()) await work;
  const { hub, agent } = openOptions;
  const member = hub.find(id);
  if (member && request.mustExist) {
    return { session: member.session, resumed: true, ...(await describeProject(agent, member.session)) };
  }
  if (member || opening.has(id)) throw new Fault('busy', `Session ${id} is open already`);
  return trackPending(opening, id, openSession(openOptions, request));
}

async function deleteSession(
  hub: MultiSessionHub,
  index: SessionIndex,
  id: string,
  workspaces: SessionWorkspaces | undefined,
): Promise<void> {
  const isOpen = hub.find(id) !== undefined;
  await hub.closeSession(id);
  const path = await index.find(id);
  if (path !== undefined) {
    const removeFiles = await workspaces?.prepareRemoval(path);
    await index.remove(path);
    await removeFiles?.();
  } else if (!isOpen) throw createSessionNotFoundFault(id);
}
