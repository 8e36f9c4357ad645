// The module API of workspaces, with real git and without a database: saving, failures, copies, patches and cleaning up.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Workspaces } from '../../../../src/app/fleet/workspaces/workspaces.ts';
import type { SessionWorkspace } from '../../../../src/app/session-pool/session-workspaces.ts';
import { createSystemPorts } from '../../../../src/app/system-ports/index.ts';
import type { AgentSession, EventListener, SessionIndex } from '../../../../src/contracts/index.ts';
import { createRepositoryWithRemote } from '../../../support/git-remote.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

/** The sidecar files that a database would have, for all nodes. */
type Stored = Map<string, string>;

function createNode(stored: Stored, repository: string) {
  const home = createTemporaryDirectory();
  const system = createSystemPorts({ env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' } });
  onTestFinished(() => system.close());
  const time = { ms: 0 };
  const ports = { ...system, clock: { ...system.clock, now: () => time.ms } };
  const index: Partial<SessionIndex> = {
    find: async (id) => (stored.has(id) ? id : undefined),
    readSidecar: async (path) => stored.get(path),
  };
  const workspaces = new Workspaces({
    ...{ ports, index: index as SessionIndex, tenant: 'team', remote: 'origin', repositories: [repository] },
    ...{ ownCwd: home, directory: join(home, 'workspaces'), keepMs: 1000 },
    isOpen: () => false,
    reopen: () => {},
  });
  onTestFinished(() => workspaces.close());
  return { workspaces, time };
}

function openSession(stored: Stored, { sessionId }: SessionWorkspace) {
  const notices: string[] = [];
  const listeners: EventListener[] = [];
  const session = {
    entries: { flush: async () => {}, leafId: null },
    sidecarFiles: {
      read: async () => stored.get(sessionId),
      write: async (_name: string, text: string) => void stored.set(sessionId, text),
    },
    tools: { listAll: async () => [{ name: 'read', effect: 'read' }] },
    notify: ({ message }: { message: string }) => void notices.push(message),
    subscribe: (listener: EventListener) => listeners.push(listener),
  };
  const emit = async (event: object) => {
    for (const listener of listeners) await listener(event as never);
  };
  return {
    notices,
    session: session as unknown as AgentSession,
    async endTurn(tool?: string) {
      if (tool) await emit({ type: 'tool_execution_start', toolName: tool });
      await emit({ type: 'turn_end' });
    },
  };
}

async function createOpen() {
  const stored: Stored = new Map();
  const repository = createRepositoryWithRemote({ file: 'before\n' });
  const node = createNode(stored, repository.source);
  const workspace = (await node.workspaces.create({ sessionId: 'one', repository: repository.source }))!;
  const opened = openSession(stored, workspace);
  await workspace.attach(opened.session);
  await node.workspaces.snapshot('one');
  return { stored, repository, workspace, ...node, ...opened };
}

test('only a turn that can have changed files is saved', async () => {
  const { workspace, repository, endTurn } = await createOpen();
  const initial = repository.listRemoteRefs();
  expect(initial).toEqual([`refs/parley/team/one/${repository.base}`]);
  writeFileSync(join(workspace.cwd, 'file'), 'after\n');
  await endTurn('read');
  expect(repository.listRemoteRefs()).toEqual(initial);
  await endTurn('bash');
  const [ref = '', ...others] = repository.listRemoteRefs();
  expect(others).toEqual([]);
  expect(repository.git(['show', `${ref}:file`], repository.remote)).toBe('after');
  await endTurn('bash');
  expect(repository.listRemoteRefs()).toEqual([ref]);
});

test('a remote that cannot be reached is reported once, and tried again after each turn', async () => {
  const { stored, workspace, repository, endTurn, notices } = await createOpen();
  renameSync(repository.remote, `${repository.remote}-gone`);
  writeFileSync(join(workspace.cwd, 'file'), 'after\n');
  await endTurn('bash');
  await endTurn();
  expect(notices).toEqual([expect.stringContaining('If this node is lost, the changes since then are lost')]);
  expect(notices[0]).toContain(repository.remote);
  expect(stored.get('one')).toContain('"hasUnsavedChanges":true');
  renameSync(`${repository.remote}-gone`, repository.remote);
  await endTurn();
  expect(notices.at(-1)).toBe('The files of this session are saved on the remote again.');
  expect(stored.get('one')).not.toContain('hasUnsavedChanges');
  const [ref] = repository.listRemoteRefs();
  expect(repository.git(['show', `${ref}:file`], repository.remote)).toBe('after');
});

test('a copy of a session begins with its files, and a patch has all changes', async () => {
  const { stored, workspace, workspaces, repository } = await createOpen();
  writeFileSync(join(workspace.cwd, 'file'), 'after\n');
  writeFileSync(join(workspace.cwd, 'binary'), Buffer.from([0, 1, 2, 255]));
  const request = { path: undefined, defaultCwd: '/', repository: undefined, commit: undefined };
  const copy = (await workspaces.prepare({ ...request, sessionId: 'two', source: 'one', cwd: undefined }))!;
  const sameDirectory = { ...request, sessionId: undefined, source: undefined, cwd: workspace.cwd };
  const other = (await workspaces.prepare(sameDirectory))!;
  for (const { cwd } of [copy, other]) expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('after\n');
  const { session } = openSession(stored, copy);
  await copy.attach(session);
  writeFileSync(join(copy.cwd, 'file'), 'of the copy\n');
  expect(readFileSync(join(workspace.cwd, 'file'), 'utf8')).toBe('after\n');
  const patch = Buffer.from((await workspaces.createPatch('two'))!);
  const file = join(repository.source, '../change.patch');
  writeFileSync(file, patch);
  repository.git(['apply', file]);
  expect(readFileSync(join(repository.source, 'file'), 'utf8')).toBe('of the copy\n');
  expect(readFileSync(join(repository.source, 'binary'))).toEqual(Buffer.from([0, 1, 2, 255]));
  expect(await workspaces.createPatch('unknown')).toBeUndefined();
});

test('saved files of a closed session are removed later, and restored when it is opened', async () => {
  const { stored, workspace, workspaces, time, repository } = await createOpen();
  writeFileSync(join(workspace.cwd, 'file'), 'after\n');
  await workspaces.snapshot('one');
  time.ms = 5000;
  await workspaces.clean();
  expect(existsSync(workspace.cwd)).toBe(true);
  await workspace.close();
  await workspaces.clean();
  expect(existsSync(workspace.cwd)).toBe(true);
  time.ms = 10_000;
  await workspaces.clean();
  expect(existsSync(workspace.cwd)).toBe(false);
  const opened = await workspaces.open('one', stored.get('one')!);
  expect(readFileSync(join(opened.cwd, 'file'), 'utf8')).toBe('after\n');
  await opened.discard();
  // Deleted by another process.
  stored.delete('one');
  time.ms = 20_000;
  await workspaces.clean();
  expect([existsSync(workspace.cwd), repository.listRemoteRefs()]).toEqual([false, []]);
});

test('the node that has changed the files last uses them as they are, another one restores the snapshot', async () => {
  const { stored, workspace, workspaces, repository } = await createOpen();
  await workspace.close();
  writeFileSync(join(workspace.cwd, 'file'), 'not saved\n');
  const again = await workspaces.open('one', stored.get('one')!);
  expect(readFileSync(join(again.cwd, 'file'), 'utf8')).toBe('not saved\n');
  await again.discard();
  const second = createNode(stored, repository.source).workspaces;
  const restored = await second.open('one', stored.get('one')!);
  expect(readFileSync(join(restored.cwd, 'file'), 'utf8')).toBe('before\n');
  writeFileSync(join(restored.cwd, 'file'), 'of the second\n');
  await restored.attach(openSession(stored, restored).session);
  await second.snapshot('one');
  await restored.close();
  const back = await workspaces.open('one', stored.get('one')!);
  expect(readFileSync(join(back.cwd, 'file'), 'utf8')).toBe('of the second\n');
});

test('a session that another node used while it was being opened is not opened', async () => {
  const { stored, workspace, workspaces } = await createOpen();
  await workspace.close();
  const opened = await workspaces.open('one', stored.get('one')!);
  stored.set('one', stored.get('one')!.replace('"node":"', '"node":"other-'));
  await expect(opened.attach(openSession(stored, opened).session)).rejects.toThrow('was used on another node');
});
