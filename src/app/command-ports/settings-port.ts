// Shows and changes settings for hosts: the files of the user and of the project, and the open session.
import { join } from 'node:path';
import { Fault, isRecord } from '../../base/index.ts';
import type { Ports, ScopedSettingChange, ScopedSettings, SettingScope, SettingsPort } from '../../contracts/index.ts';
import {
  flattenSettings,
  isSettingKey,
  type LoadedSettings,
  loadSettings,
  type SettingKey,
} from '../../settings/index.ts';
import { checkSettings, combineWithProject } from '../../settings/setting-rules.ts';
import { writeSettings } from '../../settings/write-settings.ts';
import { parseJsonc } from '../../support/jsonc.ts';
import type { SettingSources } from '../agent-options.ts';
import type { LiveAgent } from '../apply-settings.ts';
import { removeSecrets } from '../remove-secrets.ts';
import { describeEffective } from './effective-settings.ts';
import { getProjectSettingsFile, writeProjectSettings } from './project-settings-file.ts';
import { readLiveValues, type SessionOverrides } from './session-overrides.ts';
import { describeSettings } from './setting-descriptions.ts';

export interface SettingsPortOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly home?: string | undefined;
  readonly sources?: SettingSources | undefined;
  /** Absent for calls without a session. */
  readonly open?: OpenSession | undefined;
  /** Throws a Fault when there is no such model. */
  checkDefaultModel(requested: { provider: string | undefined; model: string }): Promise<void>;
}

interface OpenSession {
  readonly agent: LiveAgent;
  readonly overrides: SessionOverrides;
}

type Values = Readonly<Record<string, unknown>>;

export function createSettingsPort(options: SettingsPortOptions): SettingsPort {
  return {
    describe: () => describeSettings(options.ports.files),
    read: (scope) => readScopes(options, scope),
    async save(change) {
      await saveScope(options, change);
      return readScopes(options, change.scope);
    },
  };
}

async function readScopes(options: SettingsPortOptions, scope: SettingScope | undefined): Promise<ScopedSettings> {
  const { open } = options;
  const includes = (name: SettingScope) => scope === undefined || scope === name;
  if (scope !== undefined && scope !== 'user') requireOpen(options, scope);
  return {
    ...(includes('user') ? { user: await readUser(options) } : {}),
    ...(open && includes('project') ? { project: await readProject(options, open) } : {}),
    ...(open && includes('session') ? { session: { settings: open.overrides.settings } } : {}),
    ...(scope === undefined ? { effective: await readEffective(options) } : {}),
  };
}

async function readUser(options: SettingsPortOptions) {
  const file = join(options.agentDirectory, 'settings.json');
  return { file, settings: await readSettingsFile(options, file) };
}

async function readProject(options: SettingsPortOptions, { agent: { session, resourceLocator } }: OpenSession) {
  const file = getProjectSettingsFile(session.cwd);
  const trusted = resourceLocator.isTrusted;
  return { file, trusted, settings: trusted ? await readSettingsFile(options, file) : {} };
}

/** The settings in a file by their names. Other keys, which may be secrets of extensions, are left out. */
async function readSettingsFile({ ports: { files } }: SettingsPortOptions, file: string) {
  const info = await files.info(file);
  const text = info?.kind === 'file' ? new TextDecoder().decode(await files.read(file)) : '';
  const parsed = text.trim() === '' ? {} : await parseJsonc(text, file);
  if (!isRecord(parsed)) throw new Fault('config', `${file} does not contain a JSON object. Fix the file first.`);
  const known = flattenSettings(parsed).filter(({ key, value }) => isSettingKey(key) && value !== null);
  return removeSecrets(Object.fromEntries(known.map(({ key, value }) => [key, value])));
}

async function readEffective(options: SettingsPortOptions) {
  const { open, sources } = options;
  const loaded = sources ? await sources.load(open?.agent.resourceLocator.isTrusted ?? false) : undefined;
  const base = open?.overrides.base ?? (loaded ?? (await loadUserSettings(options))).values;
  return removeSecrets(
    describeEffective({
      live: open ? readLiveValues(open.agent.session, open.agent.options.settings) : base,
      base,
      overridden: open?.overrides.settings ?? {},
      loaded,
      flags: sources?.flags ?? {},
      userFile: join(options.agentDirectory, 'settings.json'),
    }),
  );
}

/** Without the project. */
function loadUserSettings({ ports, agentDirectory, home, sources }: SettingsPortOptions): Promise<LoadedSettings> {
  return sources ? sources.load(false) : loadSettings({ files: ports.files, agentDirectory, home });
}

async function saveScope(
  options: SettingsPortOptions,
  { scope, settings, remove }: ScopedSettingChange,
): Promise<void> {
  await checkSettings(settings, remove);
  const removed = Object.fromEntries(remove.map((name) => [name, undefined]));
  if (scope === 'session') requireOpen(options, scope).overrides.change(settings, remove as SettingKey[]);
  else if (scope === 'project') await saveProject(options, { ...removed, ...settings });
  else if (Object.keys(settings).length + remove.length > 0) {
    await checkModel(options, settings);
    await writeSettings(options, { ...removed, ...settings });
  }
}

async function saveProject(options: SettingsPortOptions, changes: Values): Promise<void> {
  const { session, resourceLocator } = requireOpen(options, 'project').agent;
  if (!resourceLocator.isTrusted)
    throw new Fault(
      'refused',
      'The project is not trusted, so its settings cannot be changed. Trust it first, with parley trust.',
    );
  const { values } = await loadUserSettings(options);
  const allowProjectRules = values['permissions.allowProjectRules'];
  for (const [name, value] of Object.entries(changes)) {
    const key = name as SettingKey;
    if (value !== undefined) combineWithProject(key, values[key], value, { allowProjectRules, subject: 'a project' });
  }
  if (Object.keys(changes).length > 0) await writeProjectSettings({ ...options, cwd: session.cwd }, changes);
}

async function checkModel({ checkDefaultModel }: SettingsPortOptions, settings: Values): Promise<void> {
  const { defaultProvider, defaultModel } = settings;
  if (typeof defaultModel !== 'string') return;
  await checkDefaultModel({
    provider: typeof defaultProvider === 'string' ? defaultProvider : undefined,
    model: defaultModel,
  });
}

function requireOpen({ open }: SettingsPortOptions, scope: SettingScope): OpenSession {
  if (open) return open;
  throw new Fault('invalid_params', `The scope ${scope} needs a session. Without one, use the scope user.`);
}
