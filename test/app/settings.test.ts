// Settings as a user writes them: every wrong one is named and costs only itself.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings, type Settings, userDirectory } from '../../src/app/settings.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/app/settings-table.ts';
import { check, type FileKind } from '../../src/contracts/index.ts';

const FILE = '/home/me/.parley/settings.json';

function load(text: string | undefined, kind: FileKind = 'file'): Promise<Settings> {
  const bytes = new TextEncoder().encode(text);
  return loadSettings({
    directory: '/home/me/.parley',
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

describe('the table', () => {
  test('has the documented defaults', async () => {
    const { values, origin, problems, others } = await load(undefined);
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
      'http.idleTimeoutMs': 300_000,
      'http.totalTimeoutMs': 3_600_000,
      shellPath: undefined,
      'bash.timeout': undefined,
      'rpc.maxLineBytes': 67108864,
      'rpc.stream': 'full',
      'rpc.onEof': 'finish',
      dialect: 'omp',
    });
    expect(new Set(Object.values(origin))).toEqual(new Set(['default']));
    expect([problems, others]).toEqual([[], {}]);
  });

  test.each(SETTING_KEYS)('%s: its default passes its own schema, and it is explained', (key) => {
    const { default: value, schema, doc } = SETTINGS[key];
    if (value !== undefined) expect(check(schema, value)).toEqual(value);
    expect(doc).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the file', () => {
  test('nested and flat keys say the same', async () => {
    const nested = await load('{"compaction": {"enabled": false, "reserveTokens": 1}, "dialect": "pi"}');
    const flat = await load('{"compaction.enabled": false, "compaction.reserveTokens": 1, "dialect": "pi"}');
    expect(nested).toEqual(flat);
    expect(nested.values).toMatchObject({ 'compaction.enabled': false, 'compaction.reserveTokens': 1, dialect: 'pi' });
    expect(nested.values['compaction.keepRecentTokens']).toBe(20000);
    expect(nested.origin).toMatchObject({ 'compaction.enabled': 'user', dialect: 'user', 'retry.enabled': 'default' });
    expect(nested.problems).toEqual([]);
  });

  test('of two that say the same, the later counts', async () => {
    const { values } = await load('{"retry": {"maxRetries": 1}, "retry.maxRetries": 2}');
    expect(values['retry.maxRetries']).toBe(2);
  });

  test('comments, trailing commas and a byte order mark are fine', async () => {
    const { values, problems } = await load('\uFEFF{\n  // why\n  "shellPath": "/bin/sh", /* x */\n}\n');
    expect([values.shellPath, problems]).toEqual(['/bin/sh', []]);
  });

  test.each(['', ' \n', '{}'])('%j holds no settings and no problem', async (text) => {
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

  test('unknown keys are kept and ignored', async () => {
    const { others, problems, values } = await load(
      '{"task": {"budget": {"maxToolCalls": 5}}, "x": [1], "__proto__": {"a": 1}}',
    );
    expect(problems).toEqual([]);
    expect(others).toEqual({ 'task.budget.maxToolCalls': 5, x: [1], '__proto__.a': 1 });
    expect('a' in {}).toBe(false);
    expect(values.dialect).toBe('omp');
  });
});

describe('what is wrong', () => {
  const wrong = [
    ['{"retry": {"maxRetries": "3"}}', 'retry.maxRetries', 'retry.maxRetries must be a number (got "3")'],
    ['{"retry.maxRetries": -1}', 'retry.maxRetries', 'retry.maxRetries: must be 0 or more'],
    ['{"retry.maxRetries": 1.5}', 'retry.maxRetries', 'retry.maxRetries: must be a whole number'],
    ['{"bash.timeout": 0}', 'bash.timeout', 'bash.timeout: must be 1 or more'],
    ['{"rpc.maxLineBytes": 10}', 'rpc.maxLineBytes', 'rpc.maxLineBytes: must be 1024 or more'],
    ['{"compaction": {"enabled": "no"}}', 'compaction.enabled', 'compaction.enabled must be a boolean (got "no")'],
    ['{"compaction": false}', 'compaction.enabled', 'compaction must be an object (got boolean)'],
    ['{"dialect": {"name": "pi"}}', 'dialect', 'dialect must be a string (got object)'],
    ['{"steeringMode": "some"}', 'steeringMode', 'steeringMode must be "all" or "one-at-a-time" (got "some")'],
    ['{"rpc": {"stream": "none"}}', 'rpc.stream', 'rpc.stream must be "full" or "delta" (got "none")'],
    ['{"rpc.onEof": 1}', 'rpc.onEof', 'rpc.onEof must be "finish" or "abort" (got number)'],
  ] as const;
  test.each(wrong)('%s', async (text, key, sentence) => {
    const { problems, values, origin } = await load(text);
    expect(problems).toEqual([`${FILE}:1: ${sentence}; the default stands`]);
    expect(values[key]).toEqual(SETTINGS[key].default);
    expect(origin[key]).toBe('default');
  });

  test('each is named with its line, and the others count', async () => {
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
    ['[1]', 'holds array where an object is wanted'],
    ['"x"', 'holds string where an object is wanted'],
  ])('%j is ignored as a whole', async (text, sentence) => {
    const { problems, values } = await load(text);
    expect(problems).toEqual([`${FILE}: ${sentence}; the file is ignored`]);
    expect(values.dialect).toBe('omp');
  });

  test.each(['directory', 'fifo'] as const)('a %s in its place is never read', async (kind) => {
    expect((await load('{}', kind)).problems).toEqual([`${FILE}: is a ${kind}, not a file; the file is ignored`]);
  });

  test('a file that cannot be read is a problem, not the end', async () => {
    const refuse = async () => Promise.reject(new Error('EACCES: permission denied'));
    const { problems, values } = await loadSettings({ directory: '/d', files: { info: refuse, read: refuse } });
    expect(problems).toEqual(['/d/settings.json: EACCES: permission denied; the file is ignored']);
    expect(values.dialect).toBe('omp');
  });
});

describe('the directory', () => {
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
    expect(userDirectory(env, '/home/me')).toBe(directory);
  });
});
