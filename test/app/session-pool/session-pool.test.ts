// The sessions of one process: copies, closing and opening again, errors for sessions that do not exist.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { AgentSession, Ports, SessionIndex, SessionPool, SessionSummary } from '../../../src/contracts/index.ts';
import { extractText } from '../../../src/protocol/index.ts';
import { defaultSettings } from '../../../src/settings/settings-table.ts';
import { createMemoryStore } from '../../../src/store/memory-store.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';
import { createMultiSessionAgent } from '../../../src/testing/scenario-agent.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

async function createPool(index?: SessionIndex): Promise<SessionPool> {
  const directory = createTemporaryDirectory();
  await mkdir(join(directory, 'work'));
  const models = createScriptedModels([{ text: 'One.' }, { text: 'Two.' }]);
  const agent = createMultiSessionAgent({
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: {},
    settings: defaultSettings,
    ports: createSystemPorts({}),
    models,
    ...(index ? { storage: { index, openStore: () => createMemoryStore(), close: async () => {} } } : {}),
  });
  onTestFinished(() => agent.close());
  const { pool } = agent.hub;
  if (!pool) throw new Error('the hub has no pool');
  return pool;
}

const ask = (session: AgentSession, message: string) => session.runs.prompt({ message, onAccepted() {} });

const readTexts = (session: AgentSession) =>
  session.history.messages().map((message) => ('content' in message ? extractText(message.content) : ''));

test('a copy has the history of its source, its own id, and is independent of it', async () => {
  const pool = await createPool();
  const { session: source } = await pool.open({ id: 'source', persist: true });
  await ask(source, 'First');
  const { session: copy, resumed } = await pool.open({ id: 'copy', forkOf: 'source', persist: true });
  expect({ id: copy.id, resumed, parent: copy.header.parentSession }).toEqual({
    id: 'copy',
    resumed: false,
    parent: source.file,
  });
  expect(readTexts(copy)).toEqual(['First', 'One.']);
  await ask(copy, 'Second');
  expect(readTexts(copy)).toEqual(['First', 'One.', 'Second', 'Two.']);
  expect(readTexts(source)).toEqual(['First', 'One.']);
  expect((await pool.list()).map(({ id }) => id).sort()).toEqual(['copy', 'source']);
});

test('a closed session stays on disk and is resumed when it is opened again', async () => {
  const pool = await createPool();
  const { session } = await pool.open({ id: 's', persist: true });
  await ask(session, 'First');
  await expect(pool.open({ id: 's', persist: true })).rejects.toThrow('Session s is open already');
  await pool.close('s');
  await expect(pool.close('s')).rejects.toThrow('Session not found: s');
  const { session: again, resumed } = await pool.open({ id: 's', persist: true });
  expect({ resumed, texts: readTexts(again) }).toEqual({ resumed: true, texts: ['First', 'One.'] });
  await pool.delete('s');
  expect(await pool.list()).toEqual([]);
  await expect(pool.delete('s')).rejects.toThrow('Session not found: s');
});

test('one session is found without a list of all', async () => {
  const found = { id: 's', path: 'postgres:s' } as SessionSummary;
  // Every other member throws, because it is undefined.
  const index = { locate: async (reference: string) => ({ ...found, opening: reference }) } as unknown as SessionIndex;
  const pool = await createPool(index);
  expect(await pool.locate('beginning')).toEqual({ ...found, opening: 'beginning' });
});

test('a copy needs an existing source and an id that is free', async () => {
  const pool = await createPool();
  await expect(pool.open({ forkOf: 'none', persist: true })).rejects.toThrow('Session not found: none');
  const { session } = await pool.open({ id: 'a', persist: true });
  await ask(session, 'First');
  await pool.close('a');
  await expect(pool.open({ id: 'a', forkOf: 'a', persist: true })).rejects.toThrow(
    'Session a exists already. Choose another id for the copy.',
  );
  expect((await pool.list()).map(({ id }) => id)).toEqual(['a']);
});

test('the key of the command line is not sent to another provider that a host chooses', async () => {
  const directory = createTemporaryDirectory();
  const sentKeys: string[] = [];
  const ports: Ports = {
    ...createSystemPorts({}),
    async sendHttp(_, { headers }) {
      sentKeys.push(JSON.stringify(headers));
      throw new Error('no network');
    },
  };
  const agent = createMultiSessionAgent({
    ...{ cwd: directory, agentDirectory: join(directory, 'home'), home: join(directory, 'user') },
    env: { ANTHROPIC_API_KEY: 'key-of-anthropic' },
    settings: { ...defaultSettings, 'retry.enabled': false },
    ...{ ports, provider: 'openai', apiKey: 'key-of-the-command-line' },
  });
  onTestFinished(() => agent.close());
  const model = { provider: 'anthropic', id: 'claude-sonnet-4-5' };
  const opened = await agent.hub.pool?.open({ persist: false, model });
  await opened?.session.runs.prompt({ message: 'Hi', onAccepted() {} });
  expect(sentKeys).toHaveLength(1);
  expect(sentKeys[0]).toContain('key-of-anthropic');
  expect(sentKeys[0]).not.toContain('key-of-the-command-line');
});
