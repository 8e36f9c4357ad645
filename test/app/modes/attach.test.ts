// Tests of `parley attach`: which server it finds, which session it selects, and which arguments it refuses.
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAttach } from '../../../src/app/modes/attach/attach.ts';
import { findServer } from '../../../src/app/modes/attach/find-server.ts';
import {
  checkOnlySession,
  chooseRemoteSession,
  findRemoteSession,
  listRemoteSessions,
} from '../../../src/app/modes/attach/remote-sessions.ts';
import { Fault } from '../../../src/base/index.ts';
import type { Files, ProcessIdentity } from '../../../src/contracts/index.ts';

const SERVERS = '/user/serve/servers';

/** Only these files exist. */
function createFiles(texts: Record<string, string>) {
  const names = () => Object.keys(texts).filter((path) => dirname(path) === SERVERS);
  return {
    read: async (path: string) => new TextEncoder().encode(texts[path]),
    async info(path: string) {
      if (path === SERVERS && names().length > 0) return { kind: 'directory' };
      if (path.endsWith('.sock') && path in texts) return { kind: 'socket' };
      return path in texts ? { kind: 'file' } : undefined;
    },
    list: async () => names().map((path) => ({ name: basename(path), kind: 'file' })),
    remove: async (path: string) => void delete texts[path],
  } as unknown as Pick<Files, 'info' | 'list' | 'read' | 'remove'>;
}

/** The processes 1 to 9 are alive. */
const IDENTITY: ProcessIdentity = {
  self: { pid: 3, host: 'here' },
  isAlive: async (pid) => pid < 10,
};

const TOKEN = { '/user/serve/token': 'stored-token\n' };

function serverFile(pid: number, fields: object = {}): Record<string, string> {
  const server = { pid, host: 'here', startedMs: 5, url: `http://127.0.0.1:${7419 + pid}/`, ...fields };
  return { [`${SERVERS}/${pid}.json`]: JSON.stringify(server) };
}

const SERVER = { ...serverFile(1), ...TOKEN };

async function find(
  target: string | undefined,
  {
    token,
    env = {},
    texts = SERVER,
  }: { token?: string; env?: Record<string, string>; texts?: Record<string, string> } = {},
) {
  return findServer(target, token, { files: createFiles(texts), identity: IDENTITY, agentDirectory: '/user', env });
}

describe('the server', () => {
  test('of this user, with its token', async () => {
    expect(await find(undefined)).toEqual({ url: 'http://127.0.0.1:7420/', token: 'stored-token', isDefault: true });
  });

  test('of this user, by its address if a token is given, which may give less access than the socket', async () => {
    const texts = serverFile(1, { socket: '/run/x.sock' });
    expect(await find(undefined, { texts, token: 'read' })).toEqual({
      url: 'http://127.0.0.1:7420/',
      token: 'read',
      isDefault: true,
    });
  });

  test('of this user, by its socket, which needs no token', async () => {
    const texts = serverFile(1, { socket: '/run/x.sock' });
    expect(await find(undefined, { texts })).toEqual({ url: 'unix:/run/x.sock', isDefault: true });
  });

  test('of this user, the one that was started last; the stored token is that of all of them', async () => {
    const newest = serverFile(2, { startedMs: 9 });
    const texts: Record<string, string> = { ...serverFile(1), ...newest, ...TOKEN };
    expect((await find(undefined, { texts })).url).toBe('http://127.0.0.1:7421/');
    expect((await find('127.0.0.1:7420', { texts })).token).toBe('stored-token');
    delete texts[`${SERVERS}/2.json`];
    expect((await find(undefined, { texts })).url).toBe('http://127.0.0.1:7420/');
  });

  test('of this user was killed: its file is removed', async () => {
    const texts = { ...serverFile(10), ...serverFile(11, { host: 'another machine' }) };
    await expect(find(undefined, { texts })).rejects.toThrow('The server of this user was ended. Start one with');
    expect(Object.keys(texts)).toEqual([`${SERVERS}/11.json`]);
    await expect(find(undefined, { texts })).rejects.toThrow('No server of this user is running.');
    Object.assign(texts, serverFile(12, { startedMs: 9 }), serverFile(1));
    expect((await find(undefined, { texts })).url).toBe('http://127.0.0.1:7420/');
  });

  test.each([
    ['no file', {}],
    ['an incomplete file', { [`${SERVERS}/1.json`]: '{"pid":1,"ur' }],
    ['another file', { [`${SERVERS}/1.json`]: '[1]', [`${SERVERS}/1.json.new`]: Object.values(serverFile(1)).join() }],
    ['a server of another machine', serverFile(1, { host: 'there' })],
  ])('none with %s', async (_, texts) => {
    await expect(find(undefined, { texts })).rejects.toThrow(
      'No server of this user is running. Start one with `parley serve`, or name another one: parley attach URL',
    );
  });

  test.each<[string, object, string, string | undefined]>([
    ['http://127.0.0.1:7420', {}, 'http://127.0.0.1:7420', 'stored-token'],
    ['127.0.0.1:7420', {}, 'http://127.0.0.1:7420', 'stored-token'],
    ['http://127.0.0.1:7420', { token: 'given' }, 'http://127.0.0.1:7420', 'given'],
    ['http://127.0.0.1:7420', { env: { PARLEY_TOKEN: 'variable' } }, 'http://127.0.0.1:7420', 'variable'],
    ['http://127.0.0.1:7420', { env: { PARLEY_TOKEN: '' } }, 'http://127.0.0.1:7420', 'stored-token'],
    // A variable may be set for another server than the one that the address names.
    ['http://127.0.0.1:7421/?token=t', { env: { PARLEY_TOKEN: 'v' } }, 'http://127.0.0.1:7421/?token=t', undefined],
    ['http://127.0.0.1:7421/?token=t', { token: 'given' }, 'http://127.0.0.1:7421/?token=t', 'given'],
    // The address of the server in place of the name, which could also be that of a process of another user.
    ['localhost:7420', {}, 'http://127.0.0.1:7420/', 'stored-token'],
    ['http://LOCALHOST:7420/', {}, 'http://127.0.0.1:7420/', 'stored-token'],
    ['https://localhost:7420', {}, 'https://localhost:7420', undefined],
    ['http://localhost:7421', {}, 'http://localhost:7421', undefined],
    // The stored token is not sent to another server.
    ['http://example.test:7420', {}, 'http://example.test:7420', undefined],
    ['http://127.0.0.1:7421', {}, 'http://127.0.0.1:7421', undefined],
    ['http://127.0.0.1:7420/?token=t', {}, 'http://127.0.0.1:7420/?token=t', undefined],
  ])('%s with %j', async (target, options, url, token) => {
    expect(await find(target, options)).toEqual({ url, token, isDefault: false });
  });

  test('the path of a socket, which must exist', async () => {
    expect(await find('/run/x.sock', { texts: { '/run/x.sock': '' } })).toEqual({
      url: 'unix:/run/x.sock',
      isDefault: false,
    });
    expect(await find('unix:/run/x.sock', { texts: {} })).toEqual({ url: 'unix:/run/x.sock', isDefault: false });
    await expect(find('')).rejects.toThrow('The address is empty.');
    await expect(find('unix:')).rejects.toThrow('The address is empty.');
    for (const target of ['nowhere', '/user/serve/token'])
      await expect(find(target)).rejects.toThrow(`${target} is neither a URL nor a socket that exists.`);
  });
});

const session = (id: string, firstPrompt: string, name?: string) => ({
  ...{ id, path: `/sessions/${id}.jsonl`, firstPrompt, name, modifiedMs: 0, messageCount: 2 },
});
const SESSIONS = [
  session('aaaa1111', 'fix the login', 'Login'),
  session('aaaa2222', 'write tests'),
  session('bbbb3333', 'say hello', 'Greetings'),
];
const getMessage = (act: () => unknown) => {
  try {
    act();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return expect.fail('it did not fail');
};

describe('the session', () => {
  test('by the beginning of its id, or by its name', () => {
    expect(findRemoteSession('aaaa2', SESSIONS, 0).id).toBe('aaaa2222');
    expect(findRemoteSession('Greetings', SESSIONS, 0).id).toBe('bbbb3333');
  });

  test('similar ones are listed first', () => {
    expect(getMessage(() => findRemoteSession('aaaa', SESSIONS, 0))).toMatch(
      /^Session aaaa is not unique\. Similar sessions:\nid .*\naaaa1111 .*Login\naaaa2222 .*write tests$/,
    );
    expect(getMessage(() => findRemoteSession('Greeting', SESSIONS, 0))).toMatch(
      /^Session Greeting was not found\. Similar sessions:\nid .*\nbbbb3333 .*Greetings\n/,
    );
    expect(getMessage(() => findRemoteSession('tests', SESSIONS, 0))).toMatch(/:\nid .*\naaaa2222 .*write tests\n/);
    expect(getMessage(() => findRemoteSession('bbbc', SESSIONS, 0))).toMatch(/:\nid .*\nbbbb3333 /);
    expect(getMessage(() => findRemoteSession('x', [], 0))).toContain('The server has no stored sessions.');
  });

  test('the only one of an agent by the beginning of its id or its name; stored ones are not offered', () => {
    const only = { sessionId: 'aaaa11112222', sessionName: 'Login' };
    expect(checkOnlySession('aaaa', only, 'unix:/x')).toBe('aaaa11112222');
    expect(checkOnlySession('Login', only, 'unix:/x')).toBe('aaaa11112222');
    expect(getMessage(() => checkOnlySession('bbbb', only, 'unix:/x'))).toBe(
      'Session bbbb was not found. unix:/x has one session: aaaa1111 Login. Leave out --session to attach to it.',
    );
  });

  test('is chosen by its number or id; `n` is a new one', async () => {
    const choose = async (...typed: string[]) => {
      const shown: string[] = [];
      const prompt = { show: (text: string) => void shown.push(text), ask: async () => typed.shift() };
      return { id: await chooseRemoteSession(SESSIONS, prompt, 60_000), text: shown.join('') };
    };
    expect((await choose('')).id).toBe('aaaa1111');
    expect((await choose('3')).id).toBe('bbbb3333');
    expect((await choose('n')).id).toBeUndefined();
    const { id, text } = await choose('7', 'aaaa', 'aaaa2');
    expect(id).toBe('aaaa2222');
    expect(text).toMatch(/^ {3}id .*\n1 {2}aaaa1111 {2}1 min {2}2 .*Login\n[\s\S]*\nn +a new session\n/);
    expect(text).toContain('Session 7 was not found.');
    expect(text).toContain('Session aaaa is not unique.');
    await expect(choose()).rejects.toThrow('No session was chosen.');
  });

  test('an agent may not list its sessions; other failures are reported', async () => {
    const list = (fault: Fault) => listRemoteSessions({ callUndeclared: () => Promise.reject(fault) });
    expect(await list(new Fault('refused', 'Unknown command: list_sessions'))).toBeUndefined();
    await expect(list(new Fault('refused', 'The disk is full'))).rejects.toThrow('The disk is full');
  });
});

describe('arguments', () => {
  test('--help', async () => {
    expect(await runAttach(['--help'])).toMatch(/^Usage: parley attach /);
  });

  test.each([
    [['--nothing'], "Unknown option '--nothing'"],
    [['a', 'b'], 'Unknown argument: b'],
    [['--session', ''], '--session needs a value (got "")'],
    [['--token='], '--token needs a value (got "")'],
    [['--session', 'x', '--new'], '--session and --new exclude each other.'],
    [['--exec', 'x', '--token', 't'], '--exec and --token exclude each other.'],
    [['--exec', 'x', 'http://y'], '--exec and an address exclude each other.'],
  ])('%j', async (argv, message) => {
    await expect(runAttach(argv)).rejects.toThrow(message);
  });
});
