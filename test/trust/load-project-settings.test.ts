// Settings of a project, with real files: the trust decision, the defaults of the dialect and the flags.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { createInventory } from '../../src/trust/inventory.ts';
import { loadProjectSettings } from '../../src/trust/load-project-settings.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const { files } = createSystemPorts({});

function createProject(settings: object) {
  const [agentDirectory, cwd] = [temporaryDirectory(), temporaryDirectory()];
  mkdirSync(join(cwd, '.parley'));
  writeFileSync(join(cwd, '.parley/settings.json'), JSON.stringify(settings));
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  return { options: { files, agentDirectory, cwd, home: temporaryDirectory(), warn }, warnings };
}

test('settings of the project count only when it is trusted', async () => {
  const { options, warnings } = createProject({ shellPath: '/bin/project' });
  const untrusted = await loadProjectSettings(options);
  expect([untrusted.decision.reason, untrusted.values.shellPath]).toEqual(['undecided', undefined]);
  const trusted = await loadProjectSettings({ ...options, flags: { trust: true } });
  expect([trusted.decision.reason, trusted.values.shellPath]).toEqual(['flag', '/bin/project']);
  expect(warnings).toEqual([]);
});

test('a decision that is passed is used instead of the flags, and its inventory is checked', async () => {
  const { options, warnings } = createProject({ shellPath: '/bin/one' });
  const decision = { trusted: true, reason: 'saved', inventory: await createInventory(files, options.cwd) } as const;
  expect((await loadProjectSettings(options, decision)).values.shellPath).toBe('/bin/one');
  const file = join(options.cwd, '.parley/settings.json');
  writeFileSync(file, JSON.stringify({ shellPath: '/bin/two!' }));
  expect((await loadProjectSettings(options, decision)).values.shellPath).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining(`${file} is not used: `)]);
});

test('flags override --set, which overrides files, which override the defaults of the dialect', async () => {
  const { options } = createProject({ 'rpc.onEof': 'abort' });
  const { values } = await loadProjectSettings({
    ...options,
    flags: { trust: true, set: ['dialect=pi', 'retry.maxRetries=5'], dialect: 'opal' },
    loadDefaults: async ({ dialect }) => ({ shellPath: `/bin/${dialect}`, 'rpc.onEof': 'finish', dialect: 'omp' }),
  });
  expect(values).toMatchObject({
    dialect: 'opal',
    shellPath: '/bin/opal',
    'rpc.onEof': 'abort',
    'retry.maxRetries': 5,
  });
});

test('an invalid restriction is an error, unless no agent is started', async () => {
  const { options, warnings } = createProject({ approval: 'sometimes' });
  const flags = { trust: true };
  await expect(loadProjectSettings({ ...options, flags })).rejects.toThrow('so nothing was started');
  const { values, problems } = await loadProjectSettings({ ...options, flags, isLenient: true });
  expect([values.approval, problems.length]).toEqual(['never', 1]);
  expect(warnings).toEqual(problems);
});
