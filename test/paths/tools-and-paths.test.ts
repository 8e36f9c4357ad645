// The file tools with a path policy that enforces: what they refuse, and that searches show nothing from outside.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { Ports, ToolContext } from '../../src/contracts/index.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { createPathFixture, type PathFixture } from './path-fixture.ts';

let fixture: PathFixture;
beforeEach(() => {
  fixture = createPathFixture();
});
afterEach(() => fixture.remove());

async function run(name: string, params: Record<string, unknown>, deniedReads: string[] = []): Promise<string> {
  const agentPorts = createSystemPorts();
  const ports: Ports = Object.create(agentPorts, { files: { value: fixture.guard({ deniedReads }) } });
  const context: ToolContext = {
    ...{ toolCallId: 't', cwd: fixture.workspace, signal: new AbortController().signal, ports, agentPorts },
    ...{ isEnforcingPaths: true, options: { shellPath: undefined, bashTimeout: undefined }, update: () => {} },
    artifacts: { reserve: async () => ({ id: '0', path: join(fixture.base, '0.log') }), find: async () => undefined },
  };
  const tool = builtinTools.find((candidate) => candidate.name === name);
  const result = await tool?.run(params as never, context);
  return JSON.stringify(result);
}

const OUTSIDE = [
  'leaf-link',
  'directory-link',
  '../outside',
  '@../outside/canary.txt',
  '~/x',
  '/etc/passwd',
  '/proc/self/root/etc',
];

it.each(OUTSIDE)('refuses %s', async (path) => {
  const before = fixture.snapshotOutside();
  const calls: [string, Record<string, unknown>][] = [
    ['read', { path }],
    ['ls', { path }],
    ['grep', { path, pattern: 'canary' }],
    ['find', { path, pattern: '*' }],
    ['write', { path, content: 'changed' }],
    ['edit', { path, oldText: 'canary', newText: 'changed' }],
  ];
  for (const [name, params] of calls) {
    await expect(run(name, params), name).rejects.toThrow('is outside the working directory');
  }
  expect(fixture.snapshotOutside()).toBe(before);
});

it('shows links in a listing without following them', async () => {
  const listing = await run('ls', {});
  expect(listing).toContain('directory-link');
  expect(listing).not.toContain('directory-link/');
});

it('finds lines and names inside, and not in denied files', async () => {
  mkdirSync(join(fixture.workspace, 'keys'));
  writeFileSync(join(fixture.workspace, 'keys', 'one.pem'), 'inside a key\n');
  const denied = [join(fixture.workspace, 'keys')];
  expect(await run('grep', { pattern: 'inside' }, denied)).toContain('a.txt:1: inside');
  expect(await run('grep', { pattern: 'inside' }, denied)).not.toContain('key');
  expect(await run('find', { pattern: '*' }, denied)).not.toContain('one.pem');
  expect(await run('find', { pattern: '*' })).toContain('one.pem');
  // The second name of a file cannot be distinguished from the first one.
  const matches = await run('grep', { pattern: 'canary', context: 1 });
  expect(matches.split('canary:').length).toBe(2);
  expect(matches).toContain('hard-link:1:');
});

it('does not tell by a notice whether a denied file matches', async () => {
  mkdirSync(join(fixture.workspace, 'keys'));
  writeFileSync(join(fixture.workspace, 'keys', 'one.pem'), `secret one ${'x'.repeat(1000)}\nsecret two\n`);
  const denied = [join(fixture.workspace, 'keys')];
  const search = (pattern: string) => run('grep', { pattern, limit: 1, glob: '*.pem' }, denied);
  expect(await search('secret one')).toBe(await search('secret three'));
});

it('confirms lines of UTF-16 files and long lines', async () => {
  writeFileSync(join(fixture.workspace, 'wide.txt'), Buffer.from('\ufeffneedle wide\r\n', 'utf16le'));
  writeFileSync(join(fixture.workspace, 'long.txt'), `needle ${'x'.repeat(2000)}\n`);
  const result = await run('grep', { pattern: 'needle' });
  expect(result).toContain('wide.txt:1: needle wide');
  expect(result).toContain('long.txt:1: needle xxx');
});

it('runs the shell, whose program and artifacts are outside', async () => {
  expect(await run('bash', { command: 'seq 1 20000' })).toContain('Full output');
  expect(readFileSync(join(fixture.base, '0.log'), 'utf8')).toContain('20000');
});
