// The hall: what a host may ask of the process itself: to open sessions, and everything that belongs to none of them.
import { resolve } from 'node:path';
import { systemCode } from '../../base/fault.ts';
import { Fault } from '../../base/index.ts';
import type { AgentSession, Desk, Features, Models, OpenedSession, OpenRequest } from '../../contracts/index.ts';
import type { Credentials } from '../../llm/credentials/credentials.ts';
import { findProvider } from '../../llm/providers/providers.ts';
import { selectModel } from '../../llm/selection.ts';
import type { ManyHub } from '../../server/many-hub.ts';
import { sessionFolder } from '../../store/index.ts';
import { type Agent, type AgentOptions, createAgent } from '../compose.ts';
import { modelsFor } from '../models.ts';
import { createDeskAuth } from './auth.ts';
import { readUserSettings, saveUserSettings } from './settings.ts';
import { createShelves } from './shelves.ts';
import { watchSkills } from './skills.ts';

export interface DeskOptions {
  hub: ManyHub;
  /** What all sessions have in common. */
  agent: AgentOptions;
  /** What holds in a directory. */
  about(cwd: string): Promise<Pick<AgentOptions, 'trusted' | 'inventory' | 'settings'>>;
  /** Called with every agent that is made; a session whose promise rejects is not opened. */
  made?(agent: Agent): Promise<void>;
}

const USUAL_FEATURES: Features = { subAgents: true, skills: true };

export function createDesk({ hub, agent: common, about, made }: DeskOptions): Desk {
  const { ports, agentDirectory } = common;
  const shelves = createShelves(common);
  const own = modelsFor(common);
  const models: Models = common.models ?? own;
  const { fetch, clock } = ports;
  const auth = createDeskAuth(own.credentials, { fetch, clock, env: common.env ?? process.env });
  const place = { ports, directory: agentDirectory };
  /** Two calls may ask for the same one before the first is open. */
  const opening = new Set<string>();
  const featuresOf = new WeakMap<AgentSession, Features>();

  async function open(request: OpenRequest): Promise<OpenedSession> {
    const { id } = request;
    const persist = request.persist && common.persist !== false;
    const cwd = await workingDirectory(request.cwd);
    const path = id === undefined || !persist ? undefined : await shelves.find(id);
    const found = request.model && (await modelNamed(models, request.model));
    const { subAgents = USUAL_FEATURES.subAgents, skills = USUAL_FEATURES.skills } = request.features ?? {};
    const features = { subAgents, skills };
    const agent = await createAgent({
      ...common,
      ...(await about(cwd)),
      cwd,
      persist,
      id,
      // Sessions are found again by their ids, which takes knowing where they are.
      sessionDirectory: common.sessionDirectory ?? sessionFolder(agentDirectory, cwd),
      session: path,
      systemPrompt: request.systemPrompt ?? common.systemPrompt,
      toolNames: toolsWithin(request.tools, common.toolNames),
      features,
      ...(found ? { provider: found.provider, model: found.id } : {}),
      thinkingLevel: request.model?.thinkingLevel ?? common.thinkingLevel,
    });
    featuresOf.set(agent.session, features);
    watchSkills(agent.session);
    await made?.(agent).catch((refusal: unknown) => agent.hub.close().then(() => Promise.reject(refusal)));
    const { models: chosen } = agent.session;
    if (found && chosen.current?.id !== found.id) await chosen.choose(found.provider, found.id);
    hub.add({ session: agent.session, hub: agent.hub, close: () => agent.hub.close() });
    announce(agent);
    return { session: agent.session, resumed: path !== undefined, ...(await findings(agent, cwd)) };
  }

  async function workingDirectory(wanted: string | undefined): Promise<string> {
    const path = resolve(common.cwd, wanted ?? '.');
    const info = await ports.files.info(path).catch((thrown: unknown) => {
      const reason = systemCode(thrown) ?? 'unknown reason';
      throw new Fault('config', `Working directory cannot be reached: ${JSON.stringify(path)} (${reason})`);
    });
    if (info?.kind === 'directory') return path;
    throw new Fault('config', `Working directory does not exist: ${path}`);
  }

  async function findings({ session }: Agent, cwd: string) {
    const { findContextFiles } = await import('../../core/context/context-files.ts');
    const { found } = common.noContextFiles ? { found: [] } : await findContextFiles(ports.files, agentDirectory, cwd);
    const skills = (await session.commands()).filter(({ source }) => source === 'skill');
    return {
      contextFiles: found.map(({ path }) => path),
      skills: skills.map(({ name }) => name.replace(/^skill:/, '')),
    };
  }

  return {
    async open(request) {
      const { id = '' } = request;
      if (hub.find(id) || opening.has(id)) throw new Fault('busy', `Session ${id} is open already`);
      if (id !== '') opening.add(id);
      return open(request).finally(() => opening.delete(id));
    },
    sessions: () => shelves.list(),
    async remove(id) {
      const isOpen = hub.find(id) !== undefined;
      await hub.end(id);
      const path = await shelves.find(id);
      if (path !== undefined) await shelves.remove(path);
      else if (!isOpen) throw new Fault('not_found', `Session not found: ${id}`, { details: { session: id } });
    },
    features: (session) => featuresOf.get(session) ?? USUAL_FEATURES,
    models: () => models.available(),
    settings: () => readUserSettings(place),
    saveSettings: (changes) =>
      saveUserSettings(place, changes, auth.saveKey, (wanted) => expectModel(common, own.credentials, wanted)),
    auth,
  };
}

/**
 * Chosen as the next start will choose it. Where a provider lists its models only after a login, or a server of the user's own is not
 * running, nothing can be said about the model, and it is accepted.
 */
async function expectModel(
  common: AgentOptions,
  credentials: Credentials,
  wanted: { provider: string | undefined; model: string },
): Promise<void> {
  const needsLogin = findProvider(wanted.provider ?? '')?.lists === 'copilot';
  if (needsLogin && !(await credentials.inHand()).has(wanted.provider ?? '')) return;
  const { models } = common;
  const choose = async () => {
    if (models) return selectModel(await models.available(), wanted);
    return modelsFor({ ...common, ...wanted, apiKey: undefined, modelPatterns: undefined, warn: undefined }).initial();
  };
  await choose().catch((thrown: unknown) => {
    if (!(thrown instanceof Fault && thrown.code === 'not_found')) return;
    throw new Fault('invalid_params', `default_model: ${thrown.message.replace('--list-models', 'models/list')}`);
  });
}

/** With the first run: earlier, the host may not know the session yet. Without a model there is no run, and prompts say why. */
function announce({ session, modelNotice }: Agent): void {
  if (!modelNotice) return;
  const stop = session.subscribe((event) => {
    if (event.type !== 'agent_start') return;
    stop();
    session.notify(modelNotice);
  });
}

/** A session may have fewer tools than the command line allows, never more. */
function toolsWithin(wanted: readonly string[] | undefined, allowed: readonly string[] | undefined) {
  const odd = allowed && wanted?.find((name) => !allowed.includes(name));
  if (odd === undefined) return wanted ?? allowed;
  const flag = allowed?.length === 0 ? '--no-tools' : `--tools ${allowed?.join(',')}`;
  throw new Fault('invalid_params', 'Unknown tools in tools list', {
    details: { data: `${odd} is not allowed by ${flag}` },
  });
}

/** Hosts of this family name the wrong provider as a matter of course. */
async function modelNamed(models: Models, wanted: NonNullable<OpenRequest['model']>) {
  const known = (await models.available()).filter(({ id }) => id === wanted.id);
  const found = known.find(({ provider }) => provider === wanted.provider) ?? known[0];
  // The offline model is not among those that are listed beside others.
  return found ?? (wanted.provider ? models.find(wanted.provider, wanted.id) : undefined);
}
