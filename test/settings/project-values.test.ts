// A trusted project can restrict the agent, and cannot allow more than the user does.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadSettings, loadSettingsForRun } from '../../src/settings/load-settings.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../../src/settings/settings-table.ts';

const USER_FILE = '/home/me/.parley/settings.json';
const PROJECT_FILE = '/project/.parley/settings.json';

type Values = Readonly<Record<string, unknown>>;

interface Layers {
  readonly user?: Values | string;
  readonly project?: Values | string;
  readonly pi?: Values;
  readonly set?: readonly string[];
}

function load({ user, project, pi, set }: Layers, loader = loadSettings) {
  const contents: Record<string, unknown> = {
    [USER_FILE]: user,
    [PROJECT_FILE]: project,
    '/project/.pi/settings.json': pi,
  };
  return loader({
    agentDirectory: '/home/me/.parley',
    home: '/home/me',
    project: '/project',
    overrides: set,
    files: {
      info: async (path) =>
        contents[path] === undefined ? undefined : { kind: 'file', size: 1, modifiedMs: 0, mode: 0o600 },
      async read(path) {
        const content = contents[path];
        return new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
      },
    },
  });
}

type Row = readonly [key: SettingKey, user: unknown, project: unknown, effective: unknown, isReported?: boolean];
const unset = undefined;

describe('user and project', () => {
  const rows: readonly Row[] = [
    ['approval', unset, 'on-write', 'on-write'],
    ['approval', 'always', 'never', 'always', true],
    ['approval', 'ask', 'on-write', 'on-write'],
    ['approval', 'on-write', 'auto-edit', 'on-write', true],
    ['approval', 'always', 'read-only', 'read-only'],
    ['approval', 'read-only', 'always', 'read-only', true],
    ['approval', 'never', 'full', 'full'],
    ['approvalTimeout', unset, 0, 30_000, true],
    ['approvalTimeout', 5, 50, 5, true],
    ['permissions.deny', ['edit'], ['bash(git push *)', 'edit'], ['edit', 'bash(git push *)']],
    ['permissions.deny', ['edit'], [], ['edit']],
    ['permissions.ask', ['edit'], ['bash'], ['edit', 'bash']],
    ['permissions.allow', ['read'], ['bash'], ['read'], true],
    ['permissions.allow', ['read'], [], ['read']],
    ['serve.maxClients', unset, 5, 1000, true],
    ['store', unset, 'postgres://h/n', undefined, true],
    ['database.tenant', 'team', 'other', 'team', true],
    ['database.takeoverSeconds', 5, 50, 5, true],
    ['database.retentionDays', 90, 1, 90, true],
    ['workspace.remote', unset, '/tmp/other.git', undefined, true],
    ['workspace.remote', 'origin', 'https://other.example/x', 'origin', true],
    ['workspace.directory', '/a', '/b', '/a', true],
    ['workspace.keepHours', 5, 50, 5, true],
    ['workspace.repositories', unset, ['/a'], [], true],
    ['serve.allowedHosts', unset, ['a'], [], true],
    ['serve.allowedOrigins', ['https://a'], ['https://b'], ['https://a'], true],
    ['permissions.allowProjectRules', unset, true, false, true],
    ['permissions.allowProjectRules', unset, false, false],
    ['sandbox', unset, 'read-only', 'read-only'],
    ['sandbox', 'workspace-write', 'off', 'workspace-write', true],
    ['sandbox', 'read-only', 'workspace-write', 'read-only', true],
    ['sandbox.network', unset, 'on', 'off', true],
    ['sandbox.network', unset, 'allow-list', 'off', true],
    ['sandbox.network', 'allow-list', 'on', 'allow-list', true],
    ['sandbox.network', 'on', 'allow-list', 'allow-list'],
    ['sandbox.network', 'on', 'off', 'off'],
    ['sandbox.allowedHosts', ['a.example'], ['b.example'], ['a.example'], true],
    ['sandbox.allowedHosts', unset, ['b.example'], [], true],
    ['sandbox.writableRoots', ['/data'], ['/etc'], ['/data'], true],
    ['sandbox.writableRoots', unset, ['~/.ssh'], [], true],
    ['sandbox.deniedReads', ['/a'], ['~/b/'], ['/a', '/home/me/b']],
    ['paths', unset, 'enforce', 'enforce'],
    ['paths', unset, 'warn', unset, true],
    ['paths', unset, 'off', unset, true],
    ['paths', 'off', 'warn', 'warn'],
    ['paths', 'enforce', 'warn', 'enforce', true],
    ['paths.readRoots', unset, ['/etc'], [], true],
    ['mcp.enabled', false, true, false, true],
    ['mcp.enabled', unset, false, false],
    ['mcp.disabledServers', ['a'], ['b'], ['a', 'b']],
    ['mcp.disabledServers', ['a'], [], ['a']],
    ['mcp.sampling', unset, true, false, true],
    ['mcp.sampling', true, false, false],
    ['task.disabledAgents', ['a'], [], ['a']],
    ['task.maxRecursionDepth', unset, 9, 2, true],
    ['task.maxRecursionDepth', 4, 3, 3],
    ['task.maxRecursionDepth', 0, 1, 0, true],
    ['task.budget.maxCostUsd', 1, 5, 1, true],
    ['task.budget.maxCostUsd', 1, 0.5, 0.5],
    ['task.budget.maxToolCalls', unset, 5, 5],
    ['task.verification.requireForIsolated', true, false, true, true],
    ['task.verification.requireForIsolated', unset, true, true],
    ['task.verification.enabled', true, false, true, true],
    // Settings that restrict nothing are replaced.
    ['retry.maxRetries', 1, 9, 9],
    ['shellPath', '/u', '/p', '/p'],
  ];
  test.each(rows)('%s: %j and %j give %j', async (...row) => {
    const [key, user, project, effective, isReported = false] = row as unknown as Row;
    const { values, problems, restrictionProblems } = await load({
      user: { [key]: user },
      project: { [key]: project },
    });
    expect([key, values[key]]).toEqual([key, effective]);
    expect(problems).toEqual(
      isReported ? [expect.stringMatching(`^${PROJECT_FILE}:1: .*${key}.*; it is ignored$`)] : [],
    );
    // Ignoring it is safe, so the agent starts.
    expect(restrictionProblems).toEqual([]);
  });

  test('every setting that restricts says how projects may change it', () => {
    const undeclared = SETTING_KEYS.filter((key) => SETTINGS[key].restricts && SETTINGS[key].fromProject === undefined);
    expect(undeclared).toEqual([]);
  });

  test('the message names both values, or the setting of the user', async () => {
    const project = '{\n  "approval": "never",\n  "permissions": {"allow": ["bash"]}\n}';
    expect((await load({ user: { approval: 'always' }, project })).problems).toEqual([
      `${PROJECT_FILE}:2: a project can only restrict approval, and "never" is less strict than "always"; it is ignored`,
      `${PROJECT_FILE}:3: permissions.allow of a project is used only if the user sets permissions.allowProjectRules; it is ignored`,
    ]);
  });

  test('a file of another program can restrict, too, and .parley cannot take it back', async () => {
    const { values, rules } = await load({
      pi: { approval: 'always', 'permissions.deny': ['write'] },
      project: { approval: 'never', 'permissions.deny': [] },
    });
    expect([values.approval, values['permissions.deny']]).toEqual(['always', ['write']]);
    expect(rules).toMatchObject([{ text: 'write', origin: '/project/.pi/settings.json', scope: 'project' }]);
  });
});

describe('the command line wins over all files', () => {
  test.each([
    ['approval=never', 'approval', 'never'],
    ['sandbox=off', 'sandbox', 'off'],
    ['sandbox.network=on', 'sandbox.network', 'on'],
    ['paths=off', 'paths', 'off'],
    ['mcp.disabledServers=[]', 'mcp.disabledServers', []],
    ['sandbox.writableRoots=["/x"]', 'sandbox.writableRoots', ['/x']],
    ['task.budget.maxCostUsd=9', 'task.budget.maxCostUsd', 9],
    // Rules and paths that may not be read are added.
    ['permissions.deny=["read"]', 'permissions.deny', ['write', 'read']],
    ['sandbox.deniedReads=["~/z"]', 'sandbox.deniedReads', ['/y', '/home/me/z']],
  ] as const)('--set %s', async (override, key, effective) => {
    const project = {
      ...{ approval: 'read-only', sandbox: 'read-only', 'sandbox.network': 'off', paths: 'enforce' },
      ...{ 'mcp.disabledServers': ['a'], 'task.budget.maxCostUsd': 1 },
      ...{ 'permissions.deny': ['write'], 'sandbox.deniedReads': ['/y'] },
    };
    const { values } = await load({ project, set: [override] });
    expect(values[key]).toEqual(effective);
  });
});

describe('rules', () => {
  test('are listed with their sources', async () => {
    const { rules, origin } = await load({
      user: { permissions: { allow: ['read'], deny: ['bash(rm *)'] } },
      project: { permissions: { ask: ['edit(src/**)'], deny: ['write'], allow: ['bash'] } },
      set: ['permissions.deny=["task"]'],
    });
    expect(rules).toEqual([
      { decision: 'allow', text: 'read', scope: 'user', origin: USER_FILE },
      { decision: 'deny', text: 'bash(rm *)', scope: 'user', origin: USER_FILE },
      { decision: 'ask', text: 'edit(src/**)', scope: 'project', origin: PROJECT_FILE },
      { decision: 'deny', text: 'write', scope: 'project', origin: PROJECT_FILE },
      { decision: 'deny', text: 'task', scope: 'user', origin: '--set' },
    ]);
    expect(origin['permissions.deny']).toBe(`${USER_FILE}, ${PROJECT_FILE}, --set`);
  });

  const project = { 'permissions.allow': ['bash'], 'permissions.allowProjectRules': true };
  test.each([
    [{ user: { 'permissions.allowProjectRules': true } }, ['bash']],
    [{ set: ['permissions.allowProjectRules=true'] }, ['bash']],
    [{ user: { 'permissions.allowProjectRules': true }, set: ['permissions.allowProjectRules=false'] }, []],
    [{ pi: { 'permissions.allowProjectRules': true } }, []],
    [{}, []],
  ])('%j: allow rules of the project', async (layers: Layers, allowed) => {
    const { rules, values } = await load({ ...layers, project });
    expect([rules.map(({ text }) => text), values['permissions.allow']]).toEqual([allowed, allowed]);
  });
});

describe('a mistake in a restriction prevents the start and names file and line', () => {
  test.each([
    ['{"permissions": {"deny": ["bash("]}}', 'permissions.deny[0] must be TOOL or TOOL(PATTERN)'],
    ['{"permissions": {"deny": "bash"}}', 'permissions.deny must be an array'],
    ['{"permissions": {"deny": ["Bash(rm:*)"]}}', 'must begin with the name of a tool of Parley, such as bash or edit'],
    ['{"permissions": {"defaultMode": "plan"}}', 'unknown setting permissions.defaultMode (use approval instead)'],
    ['{"permissions": {"additionalDirectories": []}}', '(use sandbox.writableRoots instead)'],
    ['{"permissions": ["bash"]}', 'permissions must be an object (got array)'],
    ['{"permission.deny": ["bash"]}', 'unknown setting permission.deny (did you mean permissions.deny?)'],
    ['{"sandbox": {"mode": "read-only"}}', 'unknown setting sandbox.mode (use sandbox instead)'],
    ['{"sandbox": {"enabled": true}}', 'unknown setting sandbox.enabled (use sandbox instead)'],
    ['{"sandbox": true}', 'sandbox must be "off" or "workspace-write" or "read-only"'],
    ['{"sandbox": "workspace"}', 'sandbox must be "off"'],
    ['{"sandbox": {"network": {"allowedDomains": []}}}', 'sandbox.network must be "off"'],
    ['{"sandbox.net": "off"}', 'unknown setting sandbox.net'],
    ['{"sandboxed": true}', 'unknown setting sandboxed (did you mean sandbox?)'],
    ['{"approvals": "always"}', 'unknown setting approvals (did you mean approval?)'],
    ['{"approval": "plan"}', 'approval must be '],
    ['{"path": "enforce"}', 'unknown setting path (did you mean paths?)'],
    ['{"sandbox.writableRoots": ["data"]}', 'must be an absolute path or begin with ~/'],
    ['{"sandbox.writableRoots": ["/"]}', 'must not be the root directory'],
    ['{"sandbox.writableRoots": ["/tmp/../"]}', 'must not be the root directory'],
    ['{"sandbox.deniedReads": ["~/.ssh/*"]}', 'must be a path, not a pattern'],
    ['{"sandbox.deniedReads": ["~other/x"]}', 'must be an absolute path or begin with ~/'],
    ['{"paths.readRoots": ["./x"]}', 'must be an absolute path or begin with ~/'],
  ])('%s', async (text, sentence) => {
    for (const layer of ['user', 'project'] as const) {
      const file = layer === 'user' ? USER_FILE : PROJECT_FILE;
      const fault = await load({ [layer]: `\n${text}` }, loadSettingsForRun).catch((thrown: Error) => thrown);
      expect(String(fault)).toContain(`${file}:2: `);
      expect(String(fault)).toContain(sentence);
      expect(String(fault)).toContain('so nothing was started');
    }
  });
});

describe('values of sandbox', () => {
  test('sandbox is a value and a group', async () => {
    const flat = await load({ user: { sandbox: 'workspace-write', 'sandbox.network': 'on' } });
    expect([flat.values.sandbox, flat.values['sandbox.network'], flat.problems]).toEqual(['workspace-write', 'on', []]);
    const nested = await load({ user: { sandbox: { network: 'on', deniedReads: ['/x'] } } });
    expect([nested.values.sandbox, nested.values['sandbox.network']]).toEqual(['off', 'on']);
    expect(nested.problems).toEqual([]);
  });

  test('~ is replaced by the home directory, and paths are normalised', async () => {
    const roots = ['~/data/', '/a/../b'];
    const { values } = await load({ user: { 'sandbox.writableRoots': roots, 'paths.readRoots': ['~'] } });
    expect(values['sandbox.writableRoots']).toEqual(['/home/me/data', '/b']);
    expect(values['paths.readRoots']).toEqual(['/home/me']);
  });

  test('a writable root that contains the directory of Parley is reported', async () => {
    const { problems, values } = await load({ user: { 'sandbox.writableRoots': ['~'] } });
    expect(values['sandbox.writableRoots']).toEqual(['/home/me']);
    expect(problems).toEqual([expect.stringContaining('sandbox.writableRoots: /home/me contains /home/me/.parley')]);
  });
});

/** Valid values of a setting, from the strictness that it declares. */
const paths = fc.subarray(['/a', '/b', '~/c']);
const rules = fc.subarray(['bash', 'edit(src/**)', 'read']);
const names = fc.subarray(['a', 'b', 'c']);
const CANDIDATES: Partial<Record<SettingKey, fc.Arbitrary<unknown>>> = {
  approvalTimeout: fc.nat(),
  'permissions.allow': rules,
  'permissions.ask': rules,
  'permissions.deny': rules,
  'permissions.allowProjectRules': fc.boolean(),
  'serve.maxClients': fc.integer({ min: 1, max: 9 }),
  store: fc.constantFrom('postgres://host/one', 'postgres://host/two'),
  'database.tenant': fc.constantFrom('one', 'two'),
  'workspace.remote': fc.constantFrom('origin', 'team'),
  'workspace.directory': fc.constantFrom('/a', '/b'),
  'workspace.repositories': fc.subarray(['/a', 'https://a.example/']),
  'serve.allowedHosts': names,
  'serve.allowedOrigins': names,
  'sandbox.allowedHosts': names,
  'sandbox.writableRoots': paths,
  'sandbox.deniedReads': paths,
  'paths.readRoots': paths,
  'mcp.disabledServers': names,
  'task.disabledAgents': names,
};

function candidatesOf(key: SettingKey): fc.Arbitrary<unknown> {
  const { fromProject } = SETTINGS[key];
  if (Array.isArray(fromProject)) return fc.constantFrom(...fromProject.flat().filter((value) => value !== undefined));
  return CANDIDATES[key] ?? fc.integer({ min: 1, max: 9 });
}

const layer = fc.record(
  Object.fromEntries(
    SETTING_KEYS.filter((key) => SETTINGS[key].fromProject !== undefined).map((key) => [key, candidatesOf(key)]),
  ),
  { requiredKeys: [] },
);

/** Written independently of the code that combines the layers. */
function isAtLeastAsStrict(key: SettingKey, before: unknown, after: unknown): boolean {
  const { fromProject } = SETTINGS[key];
  if (Array.isArray(fromProject)) {
    const rank = (value: unknown) => fromProject.findIndex((group) => [group].flat().includes(value));
    return rank(after) >= rank(before);
  }
  if (fromProject === 'smaller') return before === undefined || (after as number) <= (before as number);
  if (fromProject === 'add' || fromProject === 'accumulate')
    return (before as unknown[]).every((item) => (after as unknown[]).includes(item));
  return JSON.stringify(before) === JSON.stringify(after);
}

test('property: no project makes a restriction weaker', async () => {
  await fc.assert(
    fc.asyncProperty(layer, layer, layer, async (user, pi, project) => {
      const without = await load({ user: { ...user, 'permissions.allowProjectRules': false } });
      const combined = await load({ user: { ...user, 'permissions.allowProjectRules': false }, pi, project });
      expect(without.restrictionProblems).toEqual([]);
      const weaker = SETTING_KEYS.filter(
        (key) =>
          SETTINGS[key].fromProject !== undefined && !isAtLeastAsStrict(key, without.values[key], combined.values[key]),
      );
      expect(weaker).toEqual([]);
      expect(combined.rules.filter(({ decision, scope }) => decision === 'allow' && scope === 'project')).toEqual([]);
      expect(combined.rules.slice(0, without.rules.length)).toEqual(without.rules);
    }),
    { numRuns: 300 },
  );
});
