// Creates the agent for a session that a multi-session host opens: new, resumed, or a copy of another.
import { Fault } from '../../base/index.ts';
import type {
  AgentSession,
  ModelRegistry,
  OpenSessionRequest,
  OpenSessionResult,
  SessionFeatures,
  SessionIndex,
} from '../../contracts/index.ts';
import type { MultiSessionHub } from '../../server/multi-session-hub.ts';
import { createSessionNotFoundFault } from '../../server/session-hub.ts';
import { getSessionDirectory } from '../../store/index.ts';
import { resolveWorkingDirectory } from '../../support/working-directory.ts';
import type { AgentOptions } from '../agent-options.ts';
import { type Agent, createAgent } from '../create-agent.ts';
import type { ChoiceStore } from './choice-store.ts';
import { DEFAULT_FEATURES } from './default-features.ts';
import { notifyOnFirstRun } from './notify-on-first-run.ts';
import { reportSkillUse } from './report-skill-use.ts';
import { applyChoices, type SessionChoices } from './session-choices.ts';
import type { SessionWorkspace, SessionWorkspaces } from './session-workspaces.ts';

export interface SessionPoolOptions {
  hub: MultiSessionHub;
  /** Options that all sessions share. */
  agent: AgentOptions;
  /** Loads the trust decision and the settings of a directory. */
  loadOptionsFor(cwd: string): Promise<ProjectOptions>;
  /** Store what is chosen for a session, such as its tools and its permission mode, and apply it when the session is opened again. */
  storesChoices?: boolean | undefined;
  /** Gives sessions their own working copies of repositories. */
  workspaces?: SessionWorkspaces | undefined;
  /** Called with each new agent. If the promise rejects, the session is not opened. */
  onAgentCreated?(agent: Agent): Promise<void>;
}

export interface ProjectOptions
  extends Pick<AgentOptions, 'trusted' | 'inventory' | 'settings' | 'permissionRules' | 'settingSources'> {
  /** Asks the user of the agent whether to trust the project, when that is not decided. */
  offerTrust(agent: Agent): Promise<void>;
}

interface OpenOptions extends SessionPoolOptions {
  readonly index: SessionIndex;
  readonly modelRegistry: ModelRegistry;
  /** The features of each open session. Filled here. */
  readonly featuresOf: WeakMap<AgentSession, SessionFeatures>;
  /** Present if what is chosen for a session outlives the host. */
  readonly choices: ChoiceStore | undefined;
  /** The request repeats how the session was opened before. */
  readonly isReopening?: boolean | undefined;
  /** Asks whether to trust the project of an open session. Filled here. */
  readonly trustOffers: WeakMap<AgentSession, () => Promise<void>>;
}

export async function openSession(options: OpenOptions, requested: OpenSessionRequest): Promise<OpenSessionResult> {
  const { agent: common, index } = options;
  const { id } = requested;
  const persist = requested.persist && common.persist !== false;
  const path = id === undefined || !persist ? undefined : await index.find(id);
  const choices = await findChoices(options, requested, path);
  const request = choices ? addChoices(options, requested, choices) : requested;
  if (request.mustExist && path === undefined) throw createSessionNotFoundFault(id);
  const storedDirectory = request.isInStoredDirectory ? await readStoredDirectory(index, request, path) : undefined;
  const workspace = persist ? await prepareWorkspace(options, request, path, storedDirectory) : undefined;
  const directory = workspace?.cwd ?? request.cwd ?? storedDirectory ?? '.';
  try {
    return await openIn(directory, { options, requested, request, persist, path, choices, workspace });
  } catch (thrown) {
    await workspace?.discard();
    throw thrown;
  }
}

interface PreparedOpening {
  readonly options: OpenOptions;
  /** By the host. */
  readonly requested: OpenSessionRequest;
  /** With what was chosen for the session before. */
  readonly request: OpenSessionRequest;
  readonly persist: boolean;
  /** Of the stored session. */
  readonly path: string | undefined;
  readonly choices: SessionChoices | undefined;
  readonly workspace: SessionWorkspace | undefined;
}

async function openIn(directory: string, opening: PreparedOpening): Promise<OpenSessionResult> {
  const { options, requested, request, persist, path, choices, workspace } = opening;
  const { hub, agent: common, loadOptionsFor, onAgentCreated, index, modelRegistry, featuresOf, trustOffers } = options;
  const id = workspace?.sessionId ?? request.id;
  const hasStoredTools = request.tools !== undefined && (options.isReopening || requested.tools === undefined);
  const cwd = await resolveWorkingDirectory(common.ports.files, common.cwd, directory);
  const fork = await findForkSource(index, request, path !== undefined);
  const model = request.model && (await findRequestedModel(modelRegistry, request.model));
  const features = fillFeatures(request.features ?? {});
  const { offerTrust, ...projectOptions } = await loadOptionsFor(cwd);
  const agent: Agent = await createAgent({
    ...common,
    ...projectOptions,
    mcpServers: request.mcpServers,
    cwd,
    persist,
    ...(fork === undefined ? { id } : { fork, sessionId: id, forkBefore: request.forkBefore }),
    // Set explicitly, so that an extension cannot move the session to a directory that the index does not search.
    sessionDirectory: common.sessionDirectory ?? getSessionDirectory(common.agentDirectory, cwd),
    findsAllSessions: common.sessionDirectory === undefined,
    session: path,
    systemPrompt: request.systemPrompt ?? common.systemPrompt,
    toolNames: restrictTools(request.tools, common.toolNames),
    skipsUnknownTools: hasStoredTools,
    features,
    ...(model ? { provider: model.provider, model: model.id, apiKey: getKeyFor(common, model) } : {}),
    thinkingLevel: request.model?.thinkingLevel ?? common.thinkingLevel,
    // The flags of a server are defaults: what was chosen for a stored session since replaces them.
    prefersStoredModel: options.choices !== undefined && model === undefined,
    hooks: [
      ...(common.hooks ?? []),
      ...(options.choices ? [options.choices.createHooks(() => agent.session.file)] : []),
      ...(workspace ? [workspace.hooks] : []),
    ],
  });
  const { session } = agent;
  featuresOf.set(session, features);
  trustOffers.set(session, () => offerTrust(agent));
  reportSkillUse(session);
  try {
    await onAgentCreated?.(agent);
    if (model && session.models.current?.id !== model.id) await session.models.select(model.provider, model.id);
    // Stored as they were chosen: the command line may allow all of them again.
    const chosen = { ...request, tools: requested.tools ?? choices?.tools };
    if (persist) await options.choices?.start({ agent, request: chosen, features }, choices);
    await workspace?.attach(session);
  } catch (thrown) {
    await agent.hub.close();
    throw thrown;
  }
  hub.add({ session, hub: agent.hub, close: () => closeAgent(agent, options.choices, workspace) });
  if (hasStoredTools) await notifyOfMissingTools(session, request.tools ?? []);
  // Without a model there is no run; prompts fail with the reason.
  if (agent.modelNotice) notifyOnFirstRun(session, agent.modelNotice);
  return { session, resumed: path !== undefined, ...(await describeProject(common, session)) };
}

async function closeAgent(
  { hub, session }: Agent,
  choices: ChoiceStore | undefined,
  workspace: SessionWorkspace | undefined,
): Promise<void> {
  // What the run changes until it has stopped is saved, too.
  if (workspace) await session.runs.abort();
  await workspace?.close();
  // An extension may have changed them since the last call.
  await choices?.save(session).catch(() => {});
  await hub.close();
  // Those that extensions have changed at the end of the run. Otherwise they would be stored after the session is opened again.
  await choices?.save(session).catch(() => {});
}

async function notifyOfMissingTools(session: AgentSession, names: readonly string[]): Promise<void> {
  const existing = new Set((await session.tools.listAll()).map(({ name }) => name));
  // Servers of MCP are connected later.
  const missing = names.filter((name) => !existing.has(name) && !name.startsWith('mcp__'));
  if (missing.length === 0) return;
  const message = `These tools were chosen for the session, but do not exist now: ${missing.join(', ')}. It is used without them.`;
  notifyOnFirstRun(session, { level: 'warning', message, source: 'tools' });
}

/** `undefined` if the session works in an ordinary directory. */
async function prepareWorkspace(
  { workspaces, agent: { cwd: defaultCwd } }: OpenOptions,
  { id: sessionId, forkOf, choicesOf, cwd, repository, commit }: OpenSessionRequest,
  path: string | undefined,
  storedDirectory: string | undefined,
): Promise<SessionWorkspace | undefined> {
  if (workspaces) {
    const source = forkOf ?? choicesOf;
    const directory = cwd ?? (path === undefined && source === undefined ? undefined : storedDirectory);
    return workspaces.prepare({ sessionId, path, source, cwd: directory, defaultCwd, repository, commit });
  }
  if (repository === undefined && commit === undefined) return undefined;
  const remedy = 'A server has them with the setting workspace.remote and a database.';
  throw new Fault(
    'invalid_params',
    `repository and commit can only be given where sessions have workspaces. ${remedy}`,
  );
}

/** What was chosen for the session that is opened, or for the one whose choices are copied. */
async function findChoices(
  { hub, index, choices }: OpenOptions,
  { forkOf, choicesOf }: OpenSessionRequest,
  path: string | undefined,
): Promise<SessionChoices | undefined> {
  if (path !== undefined) return choices?.read(path);
  const source = forkOf ?? choicesOf;
  if (!choices || source === undefined) return undefined;
  const open = hub.find(source);
  if (open) return choices.describe(open.session);
  const sourcePath = await index.find(source);
  return sourcePath === undefined ? undefined : choices.read(sourcePath);
}

function addChoices(
  { agent, choices }: OpenOptions,
  request: OpenSessionRequest,
  chosen: SessionChoices,
): OpenSessionRequest {
  const { id, forkOf, choicesOf } = request;
  const known = choices?.findMcpServers(forkOf ?? choicesOf ?? id ?? '');
  return { ...applyChoices(request, chosen, agent.toolNames), mcpServers: request.mcpServers ?? known };
}

/** The directory of the stored session that is opened or copied. */
async function readStoredDirectory(
  index: SessionIndex,
  { forkOf }: OpenSessionRequest,
  path: string | undefined,
): Promise<string | undefined> {
  const source = path ?? (forkOf === undefined ? undefined : await index.find(forkOf));
  return source === undefined ? undefined : index.readDirectory(source);
}

/** The path of the session to copy, if one is requested. */
async function findForkSource(
  index: SessionIndex,
  { id, forkOf }: OpenSessionRequest,
  exists: boolean,
): Promise<string | undefined> {
  if (forkOf === undefined) return undefined;
  if (exists) throw new Fault('invalid_params', `Session ${id} exists already. Choose another id for the copy.`);
  const source = await index.find(forkOf);
  if (source === undefined) throw createSessionNotFoundFault(forkOf);
  return source;
}

function fillFeatures({
  subAgents = DEFAULT_FEATURES.subAgents,
  skills = DEFAULT_FEATURES.skills,
  mcp = DEFAULT_FEATURES.mcp,
}: NonNullable<OpenSessionRequest['features']>): SessionFeatures {
  return { subAgents, skills, mcp };
}

export async function describeProject(
  { noContextFiles, bare, ports, agentDirectory }: AgentOptions,
  session: AgentSession,
): Promise<Pick<OpenSessionResult, 'contextFiles' | 'skills'>> {
  const { findContextFiles } = await import('../../core/context/context-files.ts');
  const { found } =
    noContextFiles || bare ? { found: [] } : await findContextFiles(ports.files, agentDirectory, session.cwd);
  const skills = (await session.listSlashCommands()).filter(({ source }) => source === 'skill');
  return {
    contextFiles: found.map(({ path }) => path),
    skills: skills.map(({ name }) => name.replace(/^skill:/, '')),
  };
}

/** A session may use fewer tools than the command line allows, never more. */
function restrictTools(requested: readonly string[] | undefined, allowed: readonly string[] | undefined) {
  const refused = allowed && requested?.find((name) => !allowed.includes(name));
  if (refused === undefined) return requested ?? allowed;
  const flag = allowed?.length === 0 ? '--no-tools' : `--tools ${allowed?.join(',')}`;
  throw new Fault('invalid_params', `${refused} is not allowed by ${flag}`, { details: { refusedTool: refused } });
}

/** The key of the command line belongs to the provider of the command line: it is not sent to another one. */
function getKeyFor({ apiKey, provider }: AgentOptions, model: { provider: string }): string | undefined {
  return provider === undefined || provider === model.provider ? apiKey : undefined;
}

/** The provider is a hint: hosts often send a wrong one, so a model with the same id from another provider is accepted. */
async function findRequestedModel(modelRegistry: ModelRegistry, requested: NonNullable<OpenSessionRequest['model']>) {
  const candidates = (await modelRegistry.listAvailable()).filter(({ id }) => id === requested.id);
  const found = candidates.find(({ provider }) => provider === requested.provider) ?? candidates[0];
  if (found || !requested.provider) return found;
  // listAvailable() omits the offline model when there are other models, and ids that the provider does not list.
  const named = await modelRegistry.find(requested.provider, requested.id);
  if (!named || !modelRegistry.isAssumed?.(named)) return named;
  const isUsable = await modelRegistry.requireCredentials(named).then(
    () => true,
    () => false,
  );
  return isUsable ? named : undefined;
}
