// Tests of the flags that set settings and agent options.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import {
  applySettingFlags,
  defaultSettings,
  FLAGS,
  listFlagRules,
  readFlagOptions,
} from '../../../src/settings/index.ts';

function changedSettings(...argv: string[]): Record<string, unknown> {
  const settings = applySettingFlags(defaultSettings, parseArguments(argv));
  return Object.fromEntries(
    Object.entries(settings).filter(([key, value]) => value !== Reflect.get(defaultSettings, key)),
  );
}

describe('settings', () => {
  test('without flags nothing changes', () => {
    expect(applySettingFlags(defaultSettings, parseArguments([]))).toEqual(defaultSettings);
    expect(applySettingFlags(defaultSettings, {})).toEqual(defaultSettings);
  });

  test.each([
    [['--max-cost', '0.5', '--max-tokens=9'], { 'task.budget.maxCostUsd': 0.5, 'task.budget.maxTotalTokens': 9 }],
    [['--max-time', '1.1'], { 'task.budget.maxWallTimeMs': 1100 }],
    [['--max-time', '0.0001'], { 'task.budget.maxWallTimeMs': 1 }],
    [['--approval-mode', 'always-ask'], { approval: 'on-write' }],
    [['--approval-mode', 'always'], { approval: 'always' }],
    [['--dialect', 'pi', '--stream', 'delta'], { dialect: 'pi', 'rpc.stream': 'delta' }],
    [['--on-eof', 'abort', '--max-turns', '2'], { 'rpc.onEof': 'abort' }],
  ])('%j', (argv, expected) => {
    expect(changedSettings(...argv)).toEqual(expected);
  });

  test('a switch sets a fixed value', () => {
    const settings = { ...defaultSettings, approval: 'always' as const };
    expect(applySettingFlags(settings, { autoApprove: true }).approval).toBe('never');
    expect(applySettingFlags(settings, { autoApprove: false }).approval).toBe('always');
  });

  test('two flags for one setting must agree', () => {
    expect(changedSettings('--yolo', '--approval-mode', 'never')).toEqual({});
    expect(() => changedSettings('--yolo', '--approval-mode', 'write')).toThrow(
      '--auto-approve and --approval-mode write exclude each other.',
    );
  });

  test('rules of flags are added to those of the files, and listed with the flag', async () => {
    const flags = parseArguments(['--deny', 'bash', '--allow', 'read', '--deny=edit(src/**)']);
    const settings = { ...defaultSettings, 'permissions.deny': ['write', 'bash'] };
    const values = applySettingFlags(settings, flags);
    expect(values['permissions.deny']).toEqual(['write', 'bash', 'edit(src/**)']);
    expect(values['permissions.allow']).toEqual(['read']);
    expect(await listFlagRules(flags)).toEqual([
      { decision: 'allow', text: 'read', scope: 'user', origin: '--allow' },
      { decision: 'deny', text: 'bash', scope: 'user', origin: '--deny' },
      { decision: 'deny', text: 'edit(src/**)', scope: 'user', origin: '--deny' },
    ]);
    expect(await listFlagRules(parseArguments([]))).toEqual([]);
  });

  test('the schema of the setting checks the value', () => {
    const check = () => applySettingFlags(defaultSettings, { maxTokens: 0.5 });
    expect(check).toThrow(/^--max-tokens: .*task\.budget\.maxTotalTokens.* must be a whole number/);
  });
});

describe('options of an agent', () => {
  test('only flags that are given set an option', () => {
    expect(readFlagOptions(parseArguments([]))).toEqual({});
  });

  test.each([
    [['--no-session', '--session-dir', 'a'], { persist: false, sessionDirectory: resolve('a') }],
    [['--tools', 'read, edit'], { toolNames: ['read', 'edit'] }],
    [['--tools='], { toolNames: [] }],
    [['--no-tools', '--tools', 'read'], { toolNames: [] }],
    [['-xt', 'bash', '--skill', 'a', '--skill', 'b'], { excludedTools: ['bash'], skillPaths: ['a', 'b'] }],
    [['--continue', '--name', ' n '], { continueLatest: true, name: 'n' }],
    [['--name', ' '], { name: undefined }],
    [['--models', 'a,b', '--thinking', 'low'], { modelPatterns: ['a', 'b'], thinkingLevel: 'low' }],
  ])('%j', (argv, expected) => {
    expect(readFlagOptions(parseArguments(argv))).toEqual(expected);
  });
});

test('a flag sets a setting or an option, not both, and an alias neither', () => {
  const wrong = FLAGS.filter(
    ({ setting, option, aliasOf }) => [setting, option, aliasOf].filter((target) => target !== undefined).length > 1,
  );
  expect(wrong).toEqual([]);
});
