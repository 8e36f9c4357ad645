// `parley doctor`, the whole program: a healthy machine, and each illness with its cure.
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkDisk } from '../../src/app/doctor/places.ts';
import { checkNode } from '../../src/app/doctor/programs.ts';
import { newPlace, type Place, runProgram } from '../support/program.ts';

interface Finding {
  check: string;
  status: string;
  found: string;
  mend?: string;
}

async function examined(place: Place, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runProgram(['doctor', '--json'], '', { place, env });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  return { code, ok, findings, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

function healthyPlace(): Place {
  const place = newPlace();
  chmodSync(place.home, 0o700);
  return place;
}

test('a healthy machine without a key: warned of that, and nothing is written', async () => {
  const place = healthyPlace();
  const { code, ok, findings, of } = await examined(place);
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(findings.map(({ check }) => check)).toEqual([
    ...['node', 'git', 'ripgrep', 'settings', 'keys', 'model', 'permissions', 'disk'],
  ]);
  expect(findings.filter(({ status }) => status !== 'ok')).toMatchObject([{ check: 'keys', status: 'warning' }]);
  expect(of('model')[0]?.found).toContain('parley/offline');
  expect(existsSync(join(place.home, 'sessions'))).toBe(false);
});

test('for a person: a line each, and below it what to do', async () => {
  const { code, stdout } = await runProgram(['doctor'], '', { place: healthyPlace() });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {7}node {9}\d+\./);
  expect(stdout).toMatch(/\nwarning {2}keys .*\n {22}Set a provider’s variable/);
});

test('a key is named by its provider, and never shown', async () => {
  const { of, findings } = await examined(healthyPlace(), { ANTHROPIC_API_KEY: 'sk-secret-value' });
  expect(of('keys')).toMatchObject([{ status: 'ok', found: 'anthropic' }]);
  expect(of('model')[0]?.found).toMatch(/^anthropic\//);
  expect(JSON.stringify(findings)).not.toContain('secret-value');
});

test('wrong settings and a model that nobody has', async () => {
  const place = healthyPlace();
  const file = join(place.home, 'settings.json');
  writeFileSync(file, '{"rpc":{"stream":"loud"},"defaultModel":"nobody/nothing"}', { mode: 0o600 });
  const { code, ok, of } = await examined(place);
  expect({ code, ok }).toEqual({ code: 1, ok: false });
  expect(of('settings')).toMatchObject([{ status: 'error', found: expect.stringContaining('rpc.stream must be') }]);
  expect(of('settings')[0]?.mend).toContain('parley config unset KEY');
});

test('what others may read is named with the command that mends it', async () => {
  const place = healthyPlace();
  const folder = join(place.home, 'sessions', '--it’s--');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'auth.json'), '{}');
  writeFileSync(join(folder, 'a.jsonl'), '');
  for (const path of ['auth.json', join('sessions', '--it’s--', 'a.jsonl')]) chmodSync(join(place.home, path), 0o644);
  chmodSync(folder, 0o755);
  const { code, of } = await examined(place);
  expect(code).toBe(1);
  expect(of('permissions').map(({ mend }) => mend)).toEqual([
    `chmod 700 '${folder}'`,
    `chmod 600 ${join(place.home, 'auth.json')}`,
    `chmod 600 '${join(folder, 'a.jsonl')}'`,
  ]);
});

test('without git: a warning, because most work needs none', async () => {
  const place = healthyPlace();
  const bin = join(place.home, 'bin');
  mkdirSync(bin, { mode: 0o700 });
  symlinkSync(process.execPath, join(bin, 'node'));
  const { code, of } = await examined(place, { PATH: bin });
  expect(code).toBe(0);
  expect(of('git')).toMatchObject([{ status: 'warning', mend: expect.stringContaining('Install git') }]);
});

test('a file of models that cannot be read is told', async () => {
  const place = healthyPlace();
  writeFileSync(join(place.home, 'models.json'), '{ not json', { mode: 0o600 });
  const { code, of } = await examined(place);
  expect(code).toBe(1);
  expect(of('models')[0]).toMatchObject({ status: 'error', found: expect.stringContaining('models.json') });
});

test('wrong words are refused with the help', async () => {
  const { code, stderr } = await runProgram(['doctor', '--loud']);
  expect(code).toBe(2);
  expect(stderr).toContain('Usage: parley doctor');
});

test('old Nodes and full disks', () => {
  expect(checkNode('18.19.0')).toMatchObject({ status: 'error', mend: expect.stringContaining('Node 20') });
  expect(checkNode('26.0.0')).toMatchObject({ status: 'ok' });
  const home = dirname('/project/x');
  const GB = 1024 ** 3;
  expect(checkDisk(home, { freeBytes: 5 * GB, writable: true }).status).toBe('ok');
  expect(checkDisk(home, { freeBytes: GB / 2, writable: true }).status).toBe('warning');
  expect(checkDisk(home, { freeBytes: GB / 20, writable: true }).status).toBe('error');
  expect(checkDisk(home, { freeBytes: 5 * GB, writable: false }).found).toBe('/project cannot be written');
});
