// A second process exchanges a directory and a link to a directory outside while grep and find run. Nothing outside is shown.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { Ports, ToolContext } from '../../src/contracts/index.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { createPathFixture, type PathFixture } from './path-fixture.ts';

const SEARCHES = 8;
/** `shared` and its parent are exchanged in turn, until the process is killed. */
const SWAP_PROGRAM = `
const fs = require('node:fs');
const [, workspace, outside] = process.argv;
process.chdir(workspace);
console.log('ready');
for (;;) {
  for (const [name, target] of [['top/shared', outside], ['top', outside + '/top']]) {
    fs.renameSync(name, 'spare');
    fs.symlinkSync(target, name);
    for (let at = 0; at < 2000; at++);
    fs.unlinkSync(name);
    fs.renameSync('spare', name);
  }
}
`;

let fixture: PathFixture;
beforeEach(() => {
  fixture = createPathFixture();
});
afterEach(() => fixture.remove());

function createContext(): ToolContext {
  const agentPorts = createSystemPorts();
  const ports: Ports = Object.create(agentPorts, { files: { value: fixture.guard() } });
  return {
    ...{ toolCallId: 't', cwd: fixture.workspace, signal: new AbortController().signal, ports, agentPorts },
    ...{ isEnforcingPaths: true, options: { shellPath: undefined, bashTimeout: undefined }, update: () => {} },
    artifacts: { reserve: async () => ({ id: '0', path: join(fixture.base, '0.log') }), find: async () => undefined },
  };
}

function writeNumbered(directory: string, name: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  for (let at = 0; at < 40; at++) writeFileSync(join(directory, `${name}-${at}.txt`), `${text} needle ${at}\n`);
}

it('shows nothing outside in results of grep and find', async () => {
  const { workspace, outside } = fixture;
  writeNumbered(join(workspace, 'top', 'shared'), 'same', 'inside');
  for (const directory of [outside, join(outside, 'top', 'shared')]) {
    writeNumbered(directory, 'same', 'outside');
    writeNumbered(directory, 'other', 'outside');
  }
  const child = spawn(process.execPath, ['-e', SWAP_PROGRAM, '--', workspace, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const context = createContext();
    const calls: [string, Record<string, unknown>][] = [
      ['grep', { pattern: 'needle', limit: 1000 }],
      ['grep', { pattern: 'needle', path: 'top/shared', limit: 1000 }],
      ['find', { pattern: '**/*.txt' }],
      ['find', { pattern: '*', path: 'top/shared' }],
    ];
    for (let at = 0; at < SEARCHES; at++) {
      for (const [name, params] of calls) {
        const tool = builtinTools.find((candidate) => candidate.name === name);
        const result = await Promise.resolve(tool?.run(params as never, context)).catch(
          (error: Error) => error.message,
        );
        expect(JSON.stringify(result)).not.toMatch(/outside needle|other-/);
      }
    }
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);
