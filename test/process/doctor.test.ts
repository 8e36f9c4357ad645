// `parley doctor` in the built program: a good configuration, and each problem with its solution.
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkDisk } from '../../src/app/doctor/check-directory.ts';
import { checkNode } from '../../src/app/doctor/check-programs.ts';
import { createDirectories, type ProgramDirectories, runProgram } from '../support/program.ts';

interface Finding {
  check: string;
  status: string;
  found: string;
  remedy?: string;
}

async function runDoctor(programDirectories: ProgramDirectories, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runProgram(['doctor', '--json'], '', { directories: programDirectories, env });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  return { code, ok, findings, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

function createDoctorDirectories(): ProgramDirectories {
  const directories = createDirectories();
  chmodSync(directories.home, 0o700);
  return directories;
}

test('a missing API key is a warning, and no files are written', async () => {
  const directories = createDoctorDirectories();
  const { code, ok, findings, of } = await runDoctor(directories);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(findings.map(({ check }) => check)).toEqual([
    ...['node', 'git', 'ripgrep', 'sandbox', 'settings', 'keys', 'model', 'permissions', 'disk'],
  ]);
  expect(findings.filter(({ status }) => status !== 'ok')).toMatchObject([{ check: 'keys', status: 'warning' }]);
  expect(of('model')[0]?.found).toContain('parley/offline');
  expect(existsSync(join(directories.home, 'sessions'))).toBe(false);
});

test('text output has one line per check, followed by the solution', async () => {
  const { code, stdout } = await runProgram(['doctor'], '', { directories: createDoctorDirectories() });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {7}node {9}\d+\./);
  expect(stdout).toMatch(/\nwarning {2}keys .*\n {22}Set an API key variable/);
});

test('a host rule that is not understood is an error: with it no session starts', async () => {
  const directories = createDoctorDirectories();
  const settings = { sandbox: 'workspace-write', 'sandbox.network': 'allow-list', 'sandbox.allowedHosts': ['*'] };
  writeFileSync(join(directories.home, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const { code, of } = await runDoctor(directories);
  const found = expect.stringContaining('sandbox.allowedHosts: "*" is not a host. Write a host name');
  expect([code, of('settings')]).toMatchObject([1, [{ status: 'error', found }]]);
});

test('a key is reported by its provider, and its value is not shown', async () => {
  const { of, findings } = await runDoctor(createDoctorDirectories(), { ANTHROPIC_API_KEY: 'sk-secret-value' });
  expect(of('keys')).toMatchObject([{ status: 'ok', found: 'anthropic' }]);
  expect(of('model')[0]?.found).toMatch(/^anthropic\//);
  expect(JSON.stringify(findings)).not.toContain('secret-value');
});

test('a trust.json that cannot be read is reported', async () => {
  const directories = createDirectories();
  const file = join(directories.home, 'trust.json');
  mkdirSync(file, { mode: 0o700 });
  const { code, of } = await runDoctor(directories);
  const found = `${file} is a directory, not a file. No project is trusted until this is fixed.`;
  expect(of('settings')).toMatchObject([{ status: 'error', found }]);
  expect(code).toBe(1);
  const { stderr } = await runProgram(['config', 'shellPath'], '', { directories });
  expect(stderr).toBe(`${found}\n`);
});

test('invalid settings and an unknown model', async () => {
  const directories = createDoctorDirectories();
  const file = join(directories.home, 'settings.json');
  writeFileSync(file, '{"rpc":{"stream":"loud"},"defaultModel":"unknown/model"}', { mode: 0o600 });
  const { code, ok, of } = await runDoctor(directories);
  expect({ code, ok }).toEqual({ code: 1, ok: false });
  expect(of('settings')).toMatchObject([{ status: 'error', found: expect.stringContaining('rpc.stream must be') }]);
  expect(of('settings')[0]?.remedy).toContain('parley config unset KEY');
});

test('files that other users can read are reported with the chmod command', async () => {
  const directories = createDoctorDirectories();
  const folder = join(directories.home, 'sessions', '--it’s--');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(directories.home, 'auth.json'), '{}');
  writeFileSync(join(folder, 'a.jsonl'), '');
  for (const path of ['auth.json', join('sessions', '--it’s--', 'a.jsonl')])
    chmodSync(join(directories.home, path), 0o644);
  chmodSync(folder, 0o755);
  const { code, of } = await runDoctor(directories);
  expect(code).toBe(1);
  expect(of('permissions').map(({ remedy }) => remedy)).toEqual([
    `chmod 700 '${folder}'`,
    `chmod 600 ${join(directories.home, 'auth.json')}`,
    `chmod 600 '${join(folder, 'a.jsonl')}'`,
  ]);
});

test('missing git is a warning', async () => {
  const directories = createDoctorDirectories();
  const bin = join(directories.home, 'bin');
  mkdirSync(bin, { mode: 0o700 });
  symlinkSync(process.execPath, join(bin, 'node'));
  const { code, of } = await runDoctor(directories, { PATH: bin });
  expect(code).toBe(0);
  expect(of('git')).toMatchObject([{ status: 'warning', remedy: expect.stringContaining('Install git') }]);
});

test('an invalid models.json is reported', async () => {
  const directories = createDoctorDirectories();
  writeFileSync(join(directories.home, 'models.json'), '{ not json', { mode: 0o600 });
  const { code, of } = await runDoctor(directories);
  expect(code).toBe(1);
  expect(of('models')[0]).toMatchObject({ status: 'error', found: expect.stringContaining('models.json') });
});

test('an unknown flag is rejected with the usage', async () => {
  const { code, stderr } = await runProgram(['doctor', '--loud']);
  expect(code).toBe(2);
  expect(stderr).toContain('Usage: parley doctor');
});

test('old Node versions and full disks', () => {
  expect(checkNode('18.19.0')).toMatchObject({ status: 'error', remedy: expect.stringContaining('Node 20') });
  expect(checkNode('26.0.0')).toMatchObject({ status: 'ok' });
  const home = dirname('/project/x');
  const GB = 1024 ** 3;
  expect(checkDisk(home, { freeBytes: 5 * GB, writable: true }).status).toBe('ok');
  expect(checkDisk(home, { freeBytes: GB / 2, writable: true }).status).toBe('warning');
  expect(checkDisk(home, { freeBytes: GB / 20, writable: true }).status).toBe('error');
  expect(checkDisk(home, { freeBytes: 5 * GB, writable: false }).found).toBe('/project cannot be written');
});
