// Nodes of a fleet with different home directories and working directories: another node continues with the files of a session.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { createRepositoryWithRemote } from '../support/git-remote.ts';
import { type Server, stopServer } from '../support/server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

const REMOTE = ['--set', 'workspace.remote=origin'];
const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });

async function readTexts(node: Server, id: string): Promise<{ role: string; text: string }[]> {
  const { data } = await node.call(id, 'get_messages');
  const { messages } = data as { messages: { role: string; content: string | { text?: string }[] }[] };
  return messages.map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''),
  }));
}

async function isInterrupted({ database }: Fleet, id: string): Promise<boolean> {
  const sql = postgres(database.superuserUrl, { max: 1 });
  try {
    const [row] = await sql`select interrupted from parley.sessions where id = ${id}`;
    return row?.interrupted === true;
  } finally {
    await sql.end();
  }
}

const CHANGE = [
  'pwd; echo after > changed; rm deleted; printf "\\000\\001" > binary; echo run > script; chmod +x script; ln -s changed link',
  'mkdir sub/new; echo x > sub/new/file; git -c user.name=A -c user.email=a@b commit -q -m agent changed; echo more >> changed',
].join('; ');
const SHOW =
  'pwd; cat changed; cat sub/new/file; ls; od -An -tx1 binary; test -x script && readlink link; git log --format=%s; git status --porcelain';

test('a run continues on another machine with the files of the turns before', async () => {
  const fleet = await createFleet();
  const repository = createRepositoryWithRemote({ changed: 'before\n', deleted: 'x\n', 'sub/kept': 'x\n' });
  const before = repository.describeSource();
  const first = await fleet.startNode(REMOTE, repository.source);
  fleet.provider.add(bash(CHANGE), { text: 'never sent', after: new Promise(() => {}) });
  const id = await first.createSession();
  await first.call(id, 'prompt', { message: 'go' });
  await waitUntil(() => fleet.provider.requests.length === 2);
  expect(repository.describeSource()).toEqual(before);
  expect(repository.listRemoteRefs()).toEqual([expect.stringMatching(/^refs\/parley\/default\/[\w-]+\/[\da-f]{40}$/)]);
  await stopServer(first, 'SIGKILL');
  renameSync(repository.source, `${repository.source}-of-the-first-machine`);

  fleet.provider.add(bash(SHOW), { text: 'continued' });
  const second = await fleet.startNode(REMOTE);
  await waitUntil(async () => !(await isInterrupted(fleet, id)));
  const messages = await readTexts(second, id);
  expect(messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'toolResult', 'custom', 'assistant', 'toolResult', 'assistant'],
  ]);
  const [, , created, note, , shown, last] = messages;
  expect(last?.text).toBe('continued');
  expect(note?.text).toContain('The session continues on another machine.');
  const [firstCwd, secondCwd] = [created, shown].map((message) => message?.text.split('\n')[0] ?? '');
  expect([firstCwd, secondCwd].map((cwd) => cwd?.endsWith('/app') || cwd?.endsWith('/remote'))).toEqual([true, true]);
  expect(firstCwd).not.toBe(secondCwd);
  expect(shown?.text.split('\n').slice(1).join('\n')).toContain(
    'after\nmore\nx\nbinary\nchanged\nlink\nscript\nsub\n 00 01\nchanged\nagent\nfirst\n',
  );
  expect(shown?.text).toContain(' M changed\n D deleted\n?? binary\n?? link\n?? script\n?? sub/new/');
}, 120_000);

test('a session whose files cannot be restored waits, can be read, and continues when they can be', async () => {
  const fleet = await createFleet();
  const repository = createRepositoryWithRemote({ changed: 'before\n' });
  const first = await fleet.startNode(REMOTE, repository.source);
  fleet.provider.add(bash('echo after > changed'), { text: 'never sent', after: new Promise(() => {}) });
  const id = await first.createSession();
  await first.call(id, 'prompt', { message: 'go' });
  await waitUntil(() => fleet.provider.requests.length === 2);
  await stopServer(first, 'SIGKILL');
  renameSync(repository.source, `${repository.source}-gone`);
  renameSync(repository.remote, `${repository.remote}-gone`);

  const second = await fleet.startNode(REMOTE);
  expect((await readTexts(second, id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult']);
  const refused = await second.call(id, 'prompt', { message: 'and now?' });
  expect(refused).toMatchObject({ success: false });
  expect(JSON.stringify(refused)).toContain('The session waits: its files cannot be restored from commit');
  expect(JSON.stringify(refused)).toContain(repository.remote);
  expect(JSON.stringify(await second.call(id, 'continue_run'))).toContain('The session waits');
  expect(
    (await second.request(`/v1/sessions/${id}/commands/bash?wait=settled`, { method: 'POST', body: { command: 'ls' } }))
      .text,
  ).toContain('The session waits');
  expect(fleet.provider.requests).toHaveLength(2);

  fleet.provider.add(bash('cat changed'), { text: 'continued' });
  renameSync(`${repository.remote}-gone`, repository.remote);
  await waitUntil(async () => !(await isInterrupted(fleet, id)));
  const messages = await readTexts(second, id);
  expect(messages.at(-2)?.text).toContain('after');
  expect(messages.at(-1)?.text).toBe('continued');
}, 120_000);

test('a client names repository and commit; deleting the session removes its refs', async () => {
  const fleet = await createFleet();
  const repository = createRepositoryWithRemote({ 'sub/file': 'first\n' });
  repository.git(['commit', '-q', '--allow-empty', '-m', 'second']);
  repository.git(['push', '-q', 'origin', 'main']);
  const other = createTemporaryDirectory();
  const node = await fleet.startNode([...REMOTE, '--set', `workspace.repositories=["${repository.remote}"]`], other);
  const refuse = async (body: object) =>
    JSON.stringify((await node.request('/v1/sessions', { method: 'POST', body })).json);
  expect(await refuse({ repository: '/etc' })).toContain('Sessions may not be opened for the repository /etc');
  expect(await refuse({ repository: '--upload-pack=x' })).toContain('The repository must have the form');
  expect(await refuse({ repository: repository.remote, commit: '--all' })).toContain('commit must be a full commit id');
  expect(await refuse({ repository: repository.remote, cwd: '../x' })).toContain('cwd is a path in the repository');
  const named = { repository: repository.remote, commit: repository.base, cwd: 'sub' };
  const refusing = await fleet.startNode([], other);
  expect((await refusing.request('/v1/sessions', { method: 'POST', body: named })).text).toContain('workspace.remote');

  fleet.provider.add(bash('pwd; git log --format=%s; echo x > new'), { text: 'done' });
  const id = await node.createSession(named);
  await node.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, { method: 'POST', body: { message: 'go' } });
  const [, , shown] = await readTexts(node, id);
  expect(shown?.text).toMatch(/\/sub\nfirst\n/);
  expect(repository.listRemoteRefs()).toEqual(['refs/heads/main', expect.stringContaining('refs/parley/default/')]);
  const directory = shown?.text.split('\n')[0] ?? '';
  expect(readFileSync(join(directory, 'new'), 'utf8')).toBe('x\n');
  await node.request(`/v1/sessions/${id}`, { method: 'DELETE' });
  await waitUntil(() => repository.listRemoteRefs().length === 1);
  expect(repository.listRemoteRefs()).toEqual(['refs/heads/main']);
  expect(existsSync(directory)).toBe(false);
}, 120_000);
