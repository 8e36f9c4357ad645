// Settings for hosts: sources of the values in effect, files of projects and their trust, and changes of an open session.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LiveAgent } from '../../../src/app/apply-settings.ts';
import { SessionOverrides } from '../../../src/app/command-ports/session-overrides.ts';
import { createSettingsPort } from '../../../src/app/command-ports/settings-port.ts';
import { toSessionSettings } from '../../../src/app/session-settings.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { Fault } from '../../../src/base/index.ts';
import { toApprovalPolicy } from '../../../src/protocol/index.ts';
import type { FlagValues } from '../../../src/settings/index.ts';
import { loadProjectSettings } from '../../../src/trust/index.ts';
import { computeDigest } from '../../../src/trust/inventory.ts';
import { saveDecision } from '../../../src/trust/saved-decision.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

interface SetupOptions {
  readonly user?: object;
  readonly project?: object;
  readonly flags?: FlagValues;
  readonly isTrusted?: boolean;
}

async function setup({ user = {}, project, flags = {}, isTrusted = true }: SetupOptions = {}) {
  const directory = createTemporaryDirectory();
  const [agentDirectory, cwd] = [join(directory, 'home'), join(directory, 'project')];
  for (const folder of [agentDirectory, cwd]) mkdirSync(folder);
  writeFileSync(join(agentDirectory, 'settings.json'), JSON.stringify(user));
  if (project) {
    mkdirSync(join(cwd, '.parley'));
    writeFileSync(join(cwd, '.parley/settings.json'), JSON.stringify(project));
  }
  const ports = createSystemPorts({ agentDirectory });
  const load = (trusted: boolean) =>
    loadProjectSettings(
      { files: ports.files, agentDirectory, cwd, home: agentDirectory, flags, isLenient: true, warn() {} },
      { trusted, reason: 'saved' },
    );
  const { values, rules } = await load(isTrusted);
  const settings = { ...values };
  const session = {
    cwd,
    queues: { steeringMode: settings.steeringMode, followUpMode: settings.followUpMode, interruptMode: 'immediate' },
    compaction: { isAutomatic: settings['compaction.enabled'] },
    retry: { enabled: settings['retry.enabled'] },
    approval: { policy: toApprovalPolicy(settings.approval) },
  };
  const agent = {
    ...{ session, sessionSettings: toSessionSettings(settings), resourceLocator: { isTrusted } },
    options: { settings, permissionRules: [...rules] },
  } as unknown as LiveAgent;
  const overrides = new SessionOverrides(agent);
  const port = createSettingsPort({
    ...{ ports, agentDirectory, sources: { flags, load }, open: { agent, overrides } },
    async checkDefaultModel({ model }) {
      if (model === 'unknown') throw new Fault('invalid_params', 'defaultModel: no model matches unknown');
    },
  });
  return { port, agent, overrides, settings, session, ports, agentDirectory, cwd };
}

describe('values in effect', () => {
  test('have the source from which they come', async () => {
    const { port } = await setup({
      user: { 'retry.maxRetries': 4, 'permissions.deny': ['bash'], steeringMode: 'all', approval: 'ask' },
      project: { 'retry.baseDelayMs': 10, 'permissions.deny': ['write'], approval: 'full' },
      flags: { set: ['retry.maxDelayMs=30'], stream: 'delta' } as FlagValues,
    });
    const { effective } = await port.read();
    expect(effective).toMatchObject({
      'retry.maxRetries': { value: 4, source: 'user' },
      'retry.baseDelayMs': { value: 10, source: 'project' },
      'permissions.deny': { value: ['bash', 'write'], source: 'project' },
      'retry.maxDelayMs': { value: 30, source: 'flag' },
      'retry.enabled': { value: true, source: 'default' },
      // The project cannot loosen it.
      approval: { value: 'ask', source: 'user' },
      'rpc.stream': { value: 'delta', source: 'flag' },
    });
    expect(effective?.shellPath).toEqual({ source: 'default' });
  });

  test('stay until the next session when a file changes, which is shown', async () => {
    const { port } = await setup({ user: { 'retry.maxRetries': 4 } });
    await port.save({ scope: 'user', settings: { 'retry.maxRetries': 6, 'ui.timeout': 5 }, remove: [] });
    expect((await port.read()).effective).toMatchObject({
      'retry.maxRetries': { value: 4, source: 'start', nextValue: 6 },
      'ui.timeout': { source: 'default', nextValue: 5 },
    });
  });

  test('and files never contain a secret', async () => {
    const { port } = await setup({
      user: { apiKey: 'sk-1', my: { token: 'sk-2' }, other: 'sk-3', steeringMode: 'all' },
    });
    const all = await port.read();
    expect(JSON.stringify(all)).not.toMatch(/sk-\d/);
    expect(all.user?.settings).toEqual({ steeringMode: 'all' });
  });
});

describe('the file of the user', () => {
  test('is changed only if every value is valid', async () => {
    const { port, agentDirectory } = await setup({ user: { steeringMode: 'all' } });
    const before = readFileSync(join(agentDirectory, 'settings.json'), 'utf8');
    const refused: [object, RegExp][] = [
      [{ steeringMode: 'all', followUpMode: 'never' }, /followUpMode/],
      [{ nonsense: 1 }, /unknown setting nonsense/],
      [{ 'permissions.deny': ['bash(git ['] }, /permissions\.deny/],
      [{ defaultModel: 'unknown' }, /no model matches unknown/],
    ];
    for (const [settings, message] of refused)
      await expect(port.save({ scope: 'user', settings: { ...settings }, remove: [] })).rejects.toThrow(message);
    await expect(port.save({ scope: 'user', settings: { dialect: 'pi' }, remove: ['dialect'] })).rejects.toThrow(
      'both',
    );
    expect(readFileSync(join(agentDirectory, 'settings.json'), 'utf8')).toBe(before);
    const saved = await port.save({ scope: 'user', settings: { dialect: 'pi' }, remove: ['steeringMode'] });
    expect(saved).toEqual({ user: { file: join(agentDirectory, 'settings.json'), settings: { dialect: 'pi' } } });
  });
});

describe('the file of a project', () => {
  test('is created for everyone to read, and the project stays trusted', async () => {
    const { port, ports, agentDirectory, cwd } = await setup();
    mkdirSync(join(cwd, '.parley'));
    writeFileSync(join(cwd, '.parley/SYSTEM.md'), 'Be brief.');
    const digest = await computeDigest(ports.files, cwd);
    await saveDecision({ ports, agentDirectory, cwd }, { trusted: true, digest });
    await port.save({ scope: 'project', settings: { 'todo.enabled': true }, remove: [] });
    const file = join(cwd, '.parley/settings.json');
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect((await port.read('project')).project).toEqual({ file, trusted: true, settings: { 'todo.enabled': true } });
    expect(readSavedDigest(agentDirectory, cwd)).toBe(await computeDigest(ports.files, cwd));
    expect(readSavedDigest(agentDirectory, cwd)).not.toBe(digest);
  });

  test('needs a new decision when the settings name code that was not trusted, or another file has changed', async () => {
    const { port, ports, agentDirectory, cwd } = await setup({ project: {} });
    writeFileSync(join(cwd, 'extension.js'), 'export default () => {};');
    const digest = await computeDigest(ports.files, cwd);
    await saveDecision({ ports, agentDirectory, cwd }, { trusted: true, digest });
    await port.save({ scope: 'project', settings: { extensions: ['../extension.js'] }, remove: [] });
    expect(readSavedDigest(agentDirectory, cwd)).toBe(digest);
    expect(await computeDigest(ports.files, cwd)).not.toBe(digest);
  });

  test('is not written through a link that leads out of the project', async () => {
    const { port, agentDirectory, cwd } = await setup();
    mkdirSync(join(cwd, '.parley'));
    const target = join(agentDirectory, 'target.json');
    symlinkSync(target, join(cwd, '.parley/settings.json'));
    const change = { scope: 'project', settings: { 'todo.enabled': true }, remove: [] } as const;
    await expect(port.save(change)).rejects.toThrow('outside of the project');
    expect(existsSync(target)).toBe(false);
  });

  test('cannot loosen what the user restricts', async () => {
    const { port } = await setup({ user: { 'task.budget.maxToolCalls': 5, approval: 'ask', 'mcp.enabled': false } });
    for (const settings of [{ 'task.budget.maxToolCalls': 6 }, { approval: 'full' }, { 'mcp.enabled': true }])
      await expect(port.save({ scope: 'project', settings, remove: [] })).rejects.toThrow('can only restrict');
    const allow = { scope: 'project', settings: { 'permissions.allow': ['bash'] }, remove: [] } as const;
    await expect(port.save(allow)).rejects.toThrow('allowProjectRules');
    const stricter = { 'task.budget.maxToolCalls': 4, approval: 'read-only' };
    expect(await port.save({ scope: 'project', settings: stricter, remove: [] })).toMatchObject({
      project: { settings: stricter },
    });
  });
});

function readSavedDigest(agentDirectory: string, cwd: string): string {
  return JSON.parse(readFileSync(join(agentDirectory, 'trust.json'), 'utf8')).projects[cwd].digest;
}

describe('changes of an open session', () => {
  test('apply at once, and removing them restores the settings without them', async () => {
    const { port, settings, session, agent } = await setup({
      user: { 'retry.maxRetries': 4, 'permissions.deny': ['a'] },
    });
    const change = {
      'retry.maxRetries': 0,
      'compaction.enabled': false,
      'permissions.deny': ['b'],
      approval: 'always',
    };
    await port.save({ scope: 'session', settings: change, remove: [] });
    expect(settings).toMatchObject({ 'retry.maxRetries': 0, 'permissions.deny': ['a', 'b'], approval: 'always' });
    expect(agent.sessionSettings.retry.maxRetries).toBe(0);
    expect(session).toMatchObject({ compaction: { isAutomatic: false }, approval: { policy: 'always' } });
    expect(agent.options.permissionRules.map(({ text }) => text)).toEqual(['a', 'b']);
    await port.save({ scope: 'session', settings: {}, remove: Object.keys(change) });
    expect(settings).toMatchObject({ 'retry.maxRetries': 4, 'permissions.deny': ['a'], approval: 'never' });
    expect(session).toMatchObject({ compaction: { isAutomatic: true }, approval: { policy: 'never' } });
    expect(agent.options.permissionRules.map(({ text }) => text)).toEqual(['a']);
  });

  test('keep rules that were added by an answer of the user', async () => {
    const { port, agent } = await setup();
    await port.save({ scope: 'session', settings: { 'permissions.ask': ['bash'] }, remove: [] });
    agent.options.permissionRules.push({ decision: 'allow', text: 'write', scope: 'user', origin: '/u' });
    await port.save({ scope: 'session', settings: {}, remove: ['permissions.ask'] });
    expect(agent.options.permissionRules.map(({ text }) => text)).toEqual(['write']);
  });

  test('cannot loosen a restriction, and one refused value refuses all', async () => {
    const { port, settings, overrides } = await setup({
      user: { 'task.maxRecursionDepth': 1, 'task.verification.requireForIsolated': true },
    });
    const refused: [object, RegExp][] = [
      [{ 'task.maxRecursionDepth': 2 }, /a session can only restrict task\.maxRecursionDepth/],
      [{ 'task.verification.requireForIsolated': false }, /can only restrict/],
      [{ 'permissions.allow': ['bash'] }, /cannot be changed in an open session/],
      [{ 'sandbox.network': 'on' }, /cannot be changed in an open session/],
      [{ 'task.budget.maxToolCalls': 100 }, /cannot be changed in an open session/],
    ];
    for (const [change, message] of refused) {
      const mixed = { 'retry.maxRetries': 9, ...change };
      await expect(port.save({ scope: 'session', settings: mixed, remove: [] })).rejects.toThrow(message);
    }
    expect(overrides.settings).toEqual({});
    expect(settings['retry.maxRetries']).toBe(3);
  });

  test('that a command has replaced do not come back when the project becomes trusted', async () => {
    const { port, overrides, session } = await setup({ isTrusted: false });
    const change = { approval: 'full', 'retry.enabled': false, steeringMode: 'all' };
    await port.save({ scope: 'session', settings: change, remove: [] });
    // As set_permission_mode, set_auto_retry and set_steering_mode do.
    const asked = toApprovalPolicy('ask');
    session.approval.policy = asked;
    session.retry.enabled = true;
    session.queues.steeringMode = 'one-at-a-time';
    overrides.replaceBase({ ...overrides.base });
    expect(session.approval.policy).toBe(asked);
    expect(session.retry.enabled).toBe(true);
    expect(session.queues.steeringMode).toBe('one-at-a-time');
  });

  test('stay when the project becomes trusted, unless its settings are stricter', async () => {
    const { port, settings, overrides, agent } = await setup({ isTrusted: false });
    const change = { 'retry.maxRetries': 9, 'task.maxRecursionDepth': 1, 'permissions.deny': ['write'] };
    await port.save({ scope: 'session', settings: change, remove: [] });
    const trusted = { ...overrides.base, 'task.maxRecursionDepth': 0, 'permissions.deny': ['bash'], 'ui.timeout': 4 };
    Object.assign(agent.options.settings, trusted);
    agent.options.permissionRules.splice(0);
    overrides.replaceBase(trusted);
    expect(settings).toMatchObject({
      'retry.maxRetries': 9,
      'task.maxRecursionDepth': 0,
      'permissions.deny': ['bash', 'write'],
      'ui.timeout': 4,
    });
    expect(overrides.settings).toEqual({ 'retry.maxRetries': 9, 'permissions.deny': ['write'] });
    expect(agent.options.permissionRules.map(({ text }) => text)).toEqual(['write']);
  });
});

test('every setting is described', async () => {
  const { port } = await setup();
  const described = new Map((await port.describe()).map((setting) => [setting.name, setting]));
  expect(described.get('approval')).toEqual({
    name: 'approval',
    doc: expect.stringMatching(/\w{4}/),
    schema: expect.objectContaining({ type: 'string', enum: expect.arrayContaining(['read-only']) }),
    default: 'never',
    restricts: true,
    project: 'restricts',
    session: true,
  });
  expect(described.get('sandbox.writableRoots')).toMatchObject({ project: 'ignored', session: false, default: [] });
  expect(described.get('bash.timeout')).toMatchObject({ project: 'replaces', session: true, restricts: false });
  expect(described.get('bash.timeout')).not.toHaveProperty('default');
  for (const { schema, doc } of described.values()) {
    expect(Object.keys(schema)).not.toHaveLength(0);
    expect(doc).not.toBe('');
  }
});

test('without a session only the file of the user can be used', async () => {
  const { ports, agentDirectory } = await setup({ user: { 'retry.maxRetries': 4 } });
  const port = createSettingsPort({ ports, agentDirectory, checkDefaultModel: async () => {} });
  const all = await port.read();
  expect(Object.keys(all)).toEqual(['user', 'effective']);
  expect(all.effective?.['retry.maxRetries']).toMatchObject({ value: 4 });
  await expect(port.read('session')).rejects.toThrow('needs a session');
  await expect(port.save({ scope: 'project', settings: {}, remove: [] })).rejects.toThrow('needs a session');
});
