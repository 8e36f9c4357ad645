import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScratchDirectory, readLines } from './processes.ts';

const scratch = createScratchDirectory();
let agentProgram: string;
beforeAll(() => {
  agentProgram = scratch.bundle('stdio-scripted-agent');
});
afterAll(() => scratch.remove());

describe('a host that passes its own socket', () => {
  let server: Server;
  let host: Socket;
  let childSocket: Socket;
  let child: ChildProcess;

  beforeEach(async () => {
    const path = join(scratch.directory, 'socket');
    server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(path);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    host = connect({ path, allowHalfOpen: true });
    [childSocket] = (await accepted) as [Socket];
  });
  afterEach(() => {
    child.kill('SIGKILL');
    host.destroy();
    childSocket.destroy();
    server.close();
  });

  test('one socket for stdin and stdout: no input is lost', async () => {
    child = spawn(process.execPath, [agentProgram], { stdio: [childSocket, childSocket, 'ignore'] });
    childSocket.destroy();
    for (let i = 0; i < 1000; i++) host.write(`line ${i}\n`);
    host.end();
    const lines: string[] = [];
    for await (const line of readLines(host)) lines.push(line);
    expect(lines).toEqual(Array.from({ length: 1000 }, (_, i) => `{"text":"line ${i}"}`));
  });

  test('output continues after the host has closed the sending side of the stdout socket', async () => {
    child = spawn(process.execPath, [agentProgram], { stdio: ['pipe', childSocket, 'ignore'] });
    childSocket.destroy();
    host.end();
    const frames = readLines(host);
    // By the second reply the program has received the end of that side.
    for (const line of ['one', 'two', 'three']) {
      child.stdin?.write(`${line}\n`);
      expect((await frames.next()).value).toBe(`{"text":"${line}"}`);
    }
    child.stdin?.end();
    expect((await frames.next()).done).toBe(true);
  });
});
