// Tests of the `SessionManager` of extensions when sessions are stored in a database.
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import type { SessionIndex, SessionSummary } from '../../../src/contracts/index.ts';
import { createSessionManagerClass } from '../../../src/extensions/compat/session-manager.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

interface SessionManagerClass {
  open(path: string): unknown;
  list(cwd: string, directory?: string): Promise<{ path: string; cwd: string }[]>;
  listAll(): Promise<{ path: string; cwd: string }[]>;
}

const summary = (id: string, cwd: string): SessionSummary => ({
  ...{ path: `postgres:${id}`, id, cwd, createdMs: 1, modifiedMs: 2, messages: 3, cost: 0, bytes: 4 },
  ...{ opening: 'Say hello', interrupted: false },
});

function createClass(): SessionManagerClass {
  const sessionIndex = { list: async () => [summary('a', '/one'), summary('b', '/two')] } as unknown as SessionIndex;
  const ports = { files: createFiles() } as never;
  const agentDirectory = createTemporaryDirectory();
  const readTextSync = () => {
    throw new Error('no file is read');
  };
  const options = { ports, agentDirectory, identity: {} as never, readTextSync, sessionIndex };
  return createSessionManagerClass(options) as SessionManagerClass;
}

test('sessions are listed from the database', async () => {
  const manager = createClass();
  expect((await manager.list('/two')).map(({ path }) => path)).toEqual(['postgres:b']);
  expect((await manager.listAll()).map(({ cwd }) => cwd)).toEqual(['/one', '/two']);
});

test('a directory of session files is listed, also if a database is configured', async () => {
  expect(await createClass().list('/two', createTemporaryDirectory())).toEqual([]);
});

test('open is synchronous, so it refuses sessions of a database', () => {
  expect(() => createClass().open('postgres:a')).toThrow(
    'SessionManager.open reads files, and postgres:a is in a database. Use ctx.sessionManager',
  );
});
