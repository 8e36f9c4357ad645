import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSessionGuard } from '../../../src/app/guard/session-guard.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { defaultSettings, type SettingValues } from '../../../src/settings/index.ts';

function openGuard(changes: Partial<SettingValues> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'guard-'));
  const cwd = join(root, 'w');
  mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
  writeFileSync(join(cwd, 'a.txt'), 'inside');
  writeFileSync(join(root, 'secret.txt'), 'outside');
  symlinkSync('../secret.txt', join(cwd, 'link'));
  const settings = { ...defaultSettings, ...changes };
  const warnings: string[] = [];
  const guard = createSessionGuard({
    ports: createSystemPorts(),
    settings,
    cwd,
    home: root,
    agentDirectory: join(root, '.parley'),
    onWarning: (message) => warnings.push(message),
  });
  const readText = async (path: string) => new TextDecoder().decode(await guard.guardFiles(cwd).read(path));
  return { root, cwd, settings, guard, warnings, readText };
}

const bytes = new TextEncoder().encode('new');

test('warns once about a directory outside, and reads the file', async () => {
  const { cwd, readText, warnings } = openGuard();
  expect(await readText(join(cwd, 'link'))).toBe('outside');
  expect(await readText(join(cwd, 'link'))).toBe('outside');
  expect(warnings).toHaveLength(1);
});

test('enforces the policy with a sandbox, and with the setting', async () => {
  for (const changes of [{ sandbox: 'workspace-write' }, { paths: 'enforce' }] as const) {
    const { cwd, readText } = openGuard(changes);
    await expect(readText(join(cwd, 'link'))).rejects.toMatchObject({ code: 'refused' });
    expect(await readText(join(cwd, 'a.txt'))).toBe('inside');
  }
});

test('a setting that changes during the session takes effect at the next operation', async () => {
  const { cwd, readText, settings } = openGuard({ paths: 'off' });
  expect(await readText(join(cwd, 'link'))).toBe('outside');
  Object.assign(settings, { paths: 'enforce' });
  await expect(readText(join(cwd, 'link'))).rejects.toMatchObject({ code: 'refused' });
});

test('file tools cannot change protected files when commands are in a sandbox', async () => {
  const { cwd, guard } = openGuard({ sandbox: 'workspace-write' });
  const files = guard.guardFiles(cwd);
  await expect(files.write(join(cwd, '.git/hooks/pre-commit'), bytes)).rejects.toMatchObject({ code: 'refused' });
  await files.write(join(cwd, 'a.txt'), bytes);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('new');
});

test('file tools change nothing when the sandbox is read-only', async () => {
  const { cwd, guard } = openGuard({ sandbox: 'read-only' });
  await expect(guard.guardFiles(cwd).write(join(cwd, 'a.txt'), bytes)).rejects.toMatchObject({ code: 'refused' });
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('inside');
});

test('rules that deny a file hold when it is opened, also through a link and with the policy off', async () => {
  const { cwd, root, readText } = openGuard({ paths: 'off', 'permissions.deny': ['read(secret.txt)'] });
  await expect(readText(join(cwd, 'link'))).rejects.toThrow(
    `The permission rule read(secret.txt) denies ${JSON.stringify(join(root, 'secret.txt'))}.`,
  );
});

test('there is no sandbox when the setting is off', async () => {
  const { cwd, guard } = openGuard();
  expect(await guard.getSandbox(cwd)).toBeUndefined();
});

test('the same sandbox is used until a setting changes', async () => {
  const { cwd, guard, settings } = openGuard({ sandbox: 'read-only' });
  const first = await guard.getSandbox(cwd);
  expect(first?.description).toBe('read-only, network off');
  expect(await guard.getSandbox(cwd)).toBe(first);
  Object.assign(settings, { sandbox: 'workspace-write', 'sandbox.network': 'on' });
  expect((await guard.getSandbox(cwd))?.description).toBe('workspace-write, network on');
  await guard.close();
});
