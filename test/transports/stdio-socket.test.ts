import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWorkshop, linesOf } from './processes.ts';

const workshop = createWorkshop();
let puppet: string;
beforeAll(() => {
  puppet = workshop.bundle('stdio-puppet');
});
afterAll(() => workshop.remove());

describe('a host that passes a socket of its own', () => {
  let server: Server;
  let host: Socket;
  let given: Socket;
  let child: ChildProcess;

  beforeEach(async () => {
    const path = join(workshop.directory, 'socket');
    server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(path);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    host = connect({ path, allowHalfOpen: true });
    [given] = (await accepted) as [Socket];
  });
  afterEach(() => {
    child.kill('SIGKILL');
    host.destroy();
    given.destroy();
    server.close();
  });

  test('for both ways: nothing of the input is lost to the output’s watch', async () => {
    child = spawn(process.execPath, [puppet], { stdio: [given, given, 'ignore'] });
    given.destroy();
    for (let i = 0; i < 1000; i++) host.write(`line ${i}\n`);
    host.end();
    const seen: string[] = [];
    for await (const line of linesOf(host)) seen.push(line);
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => `{"text":"line ${i}"}`));
  });

  test('and says no more on it: that is no reason to stop writing', async () => {
    child = spawn(process.execPath, [puppet], { stdio: ['pipe', given, 'ignore'] });
    given.destroy();
    host.end();
    const frames = linesOf(host);
    // By the second answer the program has seen the end of that way.
    for (const line of ['one', 'two', 'three']) {
      child.stdin?.write(`${line}\n`);
      expect((await frames.next()).value).toBe(`{"text":"${line}"}`);
    }
    child.stdin?.end();
    expect((await frames.next()).done).toBe(true);
  });
});
