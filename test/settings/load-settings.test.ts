// Loading settings: each invalid value is reported and ignored, and the unknownKeys are used.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileKind, validate } from '../../src/contracts/index.ts';
import {
  applyDefaults,
  type LoadedSettings,
  loadSettings,
  resolveAgentDirectory,
} from '../../src/settings/load-settings.ts';
import { SETTING_DOCS } from '../../src/settings/setting-docs.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/settings/settings-table.ts';

const FILE = '/home/me/.parley/settings.json';

function load(text: string | undefined, kind: FileKind = 'file'): Promise<LoadedSettings> {
  const bytes = new TextEncoder().encode(text);
  return loadSettings({
    agentDirectory: '/home/me/.parley',
    files: {
      async info(path) {
        expect(path).toBe(FILE);
        return text === undefined ? undefined : { kind, size: bytes.length, modifiedMs: 0, mode: 0o600 };
      },
      async read(path) {
        expect([path, kind]).toEqual([FILE, 'file']);
        return bytes;
      },
    },
  });
}

describe('settings table', () => {
  test('has the documented defaults', async () => {
    const { values, origin, problems, unknownKeys } = await load(undefined);
    expect(values).toEqual({
      defaultProvider: undefined,
      defaultModel: undefined,
      defaultThinkingLevel: 'medium',
      steeringMode: 'one-at-a-time',
      followUpMode: 'one-at-a-time',
      interruptMode: 'immediate',
      'compaction.enabled': true,
      'compaction.reserveTokens': 16384,
      'compaction.keepRecentTokens': 20000,
      'retry.enabled': true,
      'retry.maxRetries': 3,
      'retry.baseDelayMs': 2000,
      'retry.maxDelayMs': 60000,
      'http.idleTimeoutMs': 600_000,
      'http.totalTimeoutMs': 3_600_000,
      shellPath: undefined,
      'bash.timeout': undefined,
      'rpc.maxLineBytes': 67108864,
      'rpc.stream': 'full',
      'rpc.onEof': 'finish',
      'serve.port': 7420,
      store: undefined,
      'database.tenant': 'default',
      'database.takeoverSeconds': 10,
      'database.retentionDays': undefined,
      'serve.host': '127.0.0.1',
      'serve.idleMinutes': 30,
      'serve.clientBuffer': 8_388_608,
      'serve.maxClients': 1000,
      'serve.allowedHosts': [],
      'serve.allowedOrigins': [],
      dialect: 'omp',
      approval: 'never',
      approvalTimeout: 30_000,
      'permissions.allow': [],
      'permissions.ask': [],
      'permissions.deny': [],
      'permissions.allowProjectRules': false,
      sandbox: 'off',
      'sandbox.network': 'off',
      'sandbox.allowedHosts': [],
      'sandbox.writableRoots': [],
      'sandbox.deniedReads': [],
      paths: undefined,
      'paths.readRoots': [],
      'ui.timeout': undefined,
      'workspace.remote': undefined,
      'workspace.directory': undefined,
      'workspace.keepHours': 24,
      'workspace.repositories': [],
      extensions: [],
      'extensions.hookTimeout': 30_000,
      skills: [],
      prompts: [],
      enableSkillCommands: true,
      'ttsr.enabled': true,
      'ttsr.contextMode': 'discard',
      'ttsr.repeatMode': 'once',
      'ttsr.repeatGap': 10,
      'todo.enabled': false,
      'ask.enabled': false,
      'tasks.enabled': false,
      'todo.reminders': true,
      'todo.maxReminders': 3,
      'mcp.enabled': true,
      'mcp.disabledServers': [],
      'mcp.startupTimeout': 10_000,
      'mcp.maxInlineTools': 20,
      'mcp.sampling': false,
      'task.maxConcurrency': 32,
      'task.maxRecursionDepth': 2,
      'task.disabledAgents': [],
      'task.agentModelOverrides': {},
      'task.isolation.mode': 'worktree',
      'task.isolation.merge': 'patch',
      'task.isolation.commits': 'generic',
      'task.verification.enabled': false,
      'task.verification.defaultProfile': '',
      'task.verification.requireForIsolated': false,
      'task.verification.maxRetries': 1,
      'task.verification.failureContextLineLimit': 200,
      'task.verification.profiles': {},
      'task.budget.maxWallTimeMs': undefined,
      'task.budget.maxInputTokens': undefined,
      'task.budget.maxOutputTokens': undefined,
      'task.budget.maxTotalTokens': undefined,
      'task.budget.maxCostUsd': undefined,
      'task.budget.maxToolCalls': undefined,
      'task.budget.maxSubagents': undefined,
      'task.budget.warnAtRatio': 0.8,
    });
    expect(new Set(Object.values(origin))).toEqual(new Set(['default']));
    expect([problems, unknownKeys]).toEqual([[], {}]);
  });

  test.each(SETTING_KEYS)('%s: the default is valid for its schema, and there is documentation', (key) => {
    const { default: value, schema } = SETTINGS[key];
    if (value !== undefined) expect(validate(schema, value)).toEqual(value);
    expect(SETTING_DOCS[key]).toMatch(/^[A-Z].*\.$/);
  });
});

describe('defaults of a dialect', () => {
  const dialectDefaults = { steeringMode: 'all', 'retry.enabled': false, dialect: 'opal' };

  test('replace the defaults of the program', async () => {
    const loaded = await load(undefined);
    expect(applyDefaults(loaded, dialectDefaults)).toEqual({ ...loaded.values, ...dialectDefaults });
  });

  test('do not override values that are set in the file or with --set, even if equal to the default', async () => {
    const text = '{"steeringMode": "one-at-a-time", "retry": {"enabled": true}}';
    expect(applyDefaults(await load(text), dialectDefaults)).toMatchObject({
      steeringMode: 'one-at-a-time',
      'retry.enabled': true,
      dialect: 'opal',
    });
    const files = { info: async () => undefined, read: async () => new Uint8Array() };
    const withOverride = await loadSettings({
      agentDirectory: '/home/me/.parley',
      files,
      overrides: ['retry.enabled=true'],
    });
    expect(applyDefaults(withOverride, dialectDefaults)).toMatchObject({ steeringMode: 'all', 'retry.enabled': true });
  });
});

describe('settings file', () => {
  test('nested and flat keys are equivalent', async () => {
    const nested = await load('{"compaction": {"enabled": false, "reserveTokens": 1}, "dialect": "pi"}');
    const flat = await load('{"compaction.enabled": false, "compaction.reserveTokens": 1, "dialect": "pi"}');
    expect(nested).toEqual(flat);
    expect(nested.values).toMatchObject({ 'compaction.enabled': false, 'compaction.reserveTokens': 1, dialect: 'pi' });
    expect(nested.values['compaction.keepRecentTokens']).toBe(20000);
    expect(nested.origin).toMatchObject({ 'compaction.enabled': FILE, dialect: FILE, 'retry.enabled': 'default' });
    expect(nested.problems).toEqual([]);
  });

  test('if a key occurs nested and flat, the later one is used', async () => {
    const { values } = await load('{"retry": {"maxRetries": 1}, "retry.maxRetries": 2}');
    expect(values['retry.maxRetries']).toBe(2);
  });

  test('accepts comments, trailing commas and a byte order mark', async () => {
    const { values, problems } = await load('\uFEFF{\n  // why\n  "shellPath": "/bin/sh", /* x */\n}\n');
    expect([values.shellPath, problems]).toEqual(['/bin/sh', []]);
  });

  test.each(['', ' \n', '{}'])('%j is an empty file without problems', async (text) => {
    expect(await load(text)).toEqual(await load(undefined));
  });

  test('null means not set', async () => {
    const { values, problems, origin } = await load('{"dialect": null, "bash": {"timeout": null}, "retry": null}');
    expect([values.dialect, values['bash.timeout'], origin.dialect, problems]).toEqual([
      'omp',
      undefined,
      'default',
      [],
    ]);
  });

  test('unknown keys are reported with the closest name, and returned', async () => {
    const { unknownKeys, problems, values } = await load(
      '{"mine": {"deep": {"a": 5}},\n"retry": {"enabeld": false}, "x": [1], "__proto__": {"a": 1}}',
    );
    expect(problems).toEqual([
      `${FILE}:1: unknown setting mine.deep.a; it is ignored`,
      `${FILE}:2: unknown setting retry.enabeld (did you mean retry.enabled?); it is ignored`,
      `${FILE}:2: unknown setting x; it is ignored`,
      `${FILE}:2: unknown setting __proto__.a; it is ignored`,
    ]);
    expect(unknownKeys).toEqual({ 'mine.deep.a': 5, 'retry.enabeld': false, x: [1], '__proto__.a': 1 });
    expect('a' in {}).toBe(false);
    expect(values.dialect).toBe('omp');
  });

  test('settings that only pi and oh-my-pi use are not reported', async () => {
    expect((await load('{"theme": "dark", "images": {"autoResize": true}, "packages": []}')).problems).toEqual([]);
  });

  test('settings of subagents can be flat, nested and objects by name', async () => {
    const { values, problems } = await load(`{
      // as in the documentation of other programs
      "task.verification.enabled": true,
      "task.verification.profiles": { "ci": { "mode": "command", "commands": [{ "name": "t", "command": "true" }] } },
      "task": { "budget": { "maxCostUsd": 0.5 } },
    }`);
    expect(problems).toEqual([]);
    expect(values).toMatchObject({
      'task.verification.enabled': true,
      'task.verification.profiles': { ci: { mode: 'command', commands: [{ name: 't', command: 'true' }] } },
      'task.budget.maxCostUsd': 0.5,
    });
  });

  test('a key can be both a value and a group', async () => {
    const both = await load('{"extensions": ["a.ts"], "extensions.hookTimeout": 5}');
    expect([both.values.extensions, both.values['extensions.hookTimeout'], both.problems]).toEqual([['a.ts'], 5, []]);
    expect((await load('{"extensions": {"hookTimeout": 5}}')).values['extensions.hookTimeout']).toBe(5);
  });
});

describe('invalid settings', () => {
  const invalidSettings = [
    ['{"retry": {"maxRetries": "3"}}', 'retry.maxRetries', 'retry.maxRetries must be a number (got "3")'],
    ['{"retry.maxRetries": -1}', 'retry.maxRetries', 'retry.maxRetries must be 0 or more (got -1)'],
    ['{"retry.maxRetries": 1.5}', 'retry.maxRetries', 'retry.maxRetries must be a whole number (got 1.5)'],
    ['{"bash.timeout": 0}', 'bash.timeout', 'bash.timeout must be 1 or more (got 0)'],
    ['{"rpc.maxLineBytes": 10}', 'rpc.maxLineBytes', 'rpc.maxLineBytes must be 1024 or more (got 10)'],
    ['{"task.budget.warnAtRatio": 2}', 'task.budget.warnAtRatio', 'task.budget.warnAtRatio must be 1 or less (got 2)'],
    ['{"extensions": "a.ts"}', 'extensions', 'extensions must be an array (got "a.ts")'],
    [
      '{"task.verification.profiles": {"ci": {"commands": [{"name": "x"}]}}}',
      'task.verification.profiles',
      'task.verification.profiles.ci.commands[0].command is required',
    ],
    ['{"compaction": {"enabled": "no"}}', 'compaction.enabled', 'compaction.enabled must be a boolean (got "no")'],
    ['{"compaction": false}', 'compaction.enabled', 'compaction must be an object (got boolean)'],
    ['{"dialect": {"name": "pi"}}', 'dialect', 'dialect must be a string (got object)'],
    ['{"steeringMode": "some"}', 'steeringMode', 'steeringMode must be "all" or "one-at-a-time" (got "some")'],
    ['{"rpc": {"stream": "none"}}', 'rpc.stream', 'rpc.stream must be "full" or "delta" (got "none")'],
    ['{"rpc.onEof": 1}', 'rpc.onEof', 'rpc.onEof must be "finish" or "abort" (got number)'],
  ] as const;
  test.each(invalidSettings)('%s', async (text, key, sentence) => {
    const { problems, values, origin } = await load(text);
    expect(problems).toEqual([`${FILE}:1: ${sentence}; it is ignored`]);
    expect(values[key]).toEqual(SETTINGS[key].default);
    expect(origin[key]).toBe('default');
  });

  test('each problem has its line number, and the other settings are used', async () => {
    const { problems, values } = await load(
      '{\n  // comment\n  "dialect": 5,\n  "retry": {\n    "enabled": false,\n    "maxRetries":\n      "x"\n  }\n}',
    );
    expect(problems).toEqual([
      expect.stringContaining('settings.json:3: dialect must be a string'),
      expect.stringContaining('settings.json:6: retry.maxRetries must be a number'),
    ]);
    expect(values['retry.enabled']).toBe(false);
  });

  test.each([
    ['{\n"dialect": "pi"\n"shellPath": "x"}', 'line 3 is not JSON (comma expected)'],
    ['{"dialect": ', 'line 1 is not JSON (value expected)'],
    ['[1]', 'must contain a JSON object (got array)'],
    ['"x"', 'must contain a JSON object (got string)'],
  ])('a file with %j is ignored completely', async (text, sentence) => {
    const { problems, values } = await load(text);
    expect(problems).toEqual([`${FILE}: ${sentence}; the file is ignored`]);
    expect(values.dialect).toBe('omp');
  });

  test.each(['directory', 'fifo'] as const)('a %s instead of the file is never read', async (kind) => {
    expect((await load('{}', kind)).problems).toEqual([`${FILE}: is a ${kind}, not a file; the file is ignored`]);
  });

  test('a file that cannot be read is reported as a problem and ignored', async () => {
    const refuse = async () => Promise.reject(new Error('EACCES: permission denied'));
    const { problems, values } = await loadSettings({ agentDirectory: '/d', files: { info: refuse, read: refuse } });
    expect(problems).toEqual(['/d/settings.json: EACCES: permission denied; the file is ignored']);
    expect(values.dialect).toBe('omp');
  });
});

describe('layers', () => {
  const loadLayers = (texts: Record<string, string>, project?: string, overrides?: string[]) => {
    const checkedPaths: string[] = [];
    const settings = loadSettings({
      agentDirectory: '/home/me/.parley',
      project,
      overrides,
      files: {
        async info(path) {
          checkedPaths.push(path);
          return path in texts ? { kind: 'file', size: 1, modifiedMs: 0, mode: 0o600 } : undefined;
        },
        read: async (path) => new TextEncoder().encode(texts[path]),
      },
    });
    return settings.then((loaded) => ({ ...loaded, checkedPaths }));
  };
  const allFiles = {
    [FILE]: '{"dialect": "user", "retry.maxRetries": 1, "shellPath": "/u"}',
    '/project/.omp/settings.json': '{"dialect": "omp-file", "theme2": 1, "retry.maxRetries": 2}',
    '/project/.pi/settings.json': '{"dialect": "pi-file", "unknownKey": 1}',
    '/project/.parley/settings.json': '{"dialect": "project", "unknownKey": 1}',
  };

  test('precedence: command line, .parley, .pi, .omp, then the file of the user', async () => {
    const { values, origin, problems } = await loadLayers(allFiles, '/project', [
      'approval=always',
      'todo.enabled=true',
    ]);
    expect(values).toMatchObject({ dialect: 'project', 'retry.maxRetries': 2, shellPath: '/u', approval: 'always' });
    expect(values['todo.enabled']).toBe(true);
    expect(origin).toMatchObject({
      dialect: '/project/.parley/settings.json',
      'retry.maxRetries': '/project/.omp/settings.json',
      shellPath: FILE,
      approval: '--set',
      interruptMode: 'default',
    });
    expect(problems).toEqual(['/project/.parley/settings.json:1: unknown setting unknownKey; it is ignored']);
  });

  test('files of a project that is not trusted are not accessed', async () => {
    const { values, checkedPaths } = await loadLayers(allFiles);
    expect([values.dialect, checkedPaths]).toEqual(['user', [FILE]]);
  });

  test.each([
    ['nonsense', '--set takes KEY=VALUE (got "nonsense")'],
    ['retry.enabeld=true', '--set: unknown setting retry.enabeld (did you mean retry.enabled?)'],
    ['retry.maxRetries=many', '--set: retry.maxRetries must be a number (got "many")'],
    ['retry.maxRetries=-1', '--set: retry.maxRetries must be 0 or more (got -1)'],
  ])('--set %s is refused', async (override, sentence) => {
    await expect(loadLayers({}, undefined, [override])).rejects.toThrow(sentence);
  });

  test.each([
    ['defaultModel=5', 'defaultModel', '5'],
    ['defaultModel=a=b', 'defaultModel', 'a=b'],
    ['extensions=["a"]', 'extensions', ['a']],
    ['task.budget.maxCostUsd=0.5', 'task.budget.maxCostUsd', 0.5],
  ] as const)('--set %s', async (override, key, value) => {
    expect((await loadLayers({}, undefined, [override])).values[key]).toEqual(value);
  });
});

describe('agent directory', () => {
  test.each([
    [{}, '/home/me/.parley'],
    [{ PARLEY_DIR: '/x/y' }, '/x/y'],
    [{ PI_CODING_AGENT_DIR: '/pi' }, '/pi'],
    [{ PARLEY_DIR: '/x', PI_CODING_AGENT_DIR: '/pi' }, '/x'],
    [{ PARLEY_DIR: '', PI_CODING_AGENT_DIR: '/pi' }, '/pi'],
    [{ PARLEY_DIR: '~/p' }, '/home/me/p'],
    [{ PARLEY_DIR: '~' }, '/home/me'],
    [{ PARLEY_DIR: 'rel' }, resolve('rel')],
  ])('%j gives %s', (env, directory) => {
    expect(resolveAgentDirectory(env, '/home/me')).toBe(directory);
  });
});

describe('patterns of rules and hosts are checked when they are loaded', () => {
  test.each([
    ['{"permissions.deny":["bash(echo \'x)"]}', 'settings.json:1: The permission rule "bash(echo \'x)" is invalid: '],
    ['{\n"permissions":{"allow":["edit([)"]}}', 'settings.json:2: The permission rule "edit([)" is invalid: '],
    ['{"permissions.ask":["bash("]}', 'settings.json:1: permissions.ask'],
    ['{"sandbox.allowedHosts":["https://a.example/"]}', '"https://a.example/" is not a host. Write a host name'],
    ['{"permissions.deny":["a"],"permissions.deny":["b"]}', 'line 1 contains "permissions.deny" a second time'],
    ['{"permissions":{"deny":["a"]},\n"permissions":{}}', 'line 2 contains "permissions" a second time'],
  ])('%s', async (text, problem) => {
    const { restrictionProblems } = await load(text);
    expect(restrictionProblems).toEqual([expect.stringContaining(problem)]);
    expect(restrictionProblems[0]).toContain(FILE);
  });

  test('valid ones have no problems', async () => {
    const settings = {
      permissions: { deny: ['bash(git push)'], allow: ['edit(src/**)'] },
      'permissions.deny': ['read'],
    };
    const { problems, values } = await load(
      JSON.stringify({ ...settings, 'sandbox.allowedHosts': ['*.example.com:8080'] }),
    );
    expect(problems).toEqual([]);
    expect(values['permissions.deny']).toEqual(['bash(git push)', 'read']);
  });
});
