// Moving sessions in a process with many: stored ones, and open ones, which continue in the new directory.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type { AgentSession } from '../../../src/contracts/index.ts';
import { defaultSettings } from '../../../src/settings/settings-table.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';
import { createMultiSessionAgent } from '../../../src/testing/scenario-agent.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

async function setup(settings: Partial<typeof defaultSettings> = {}) {
  const directory = createTemporaryDirectory();
  const [work, other] = [join(directory, 'work'), join(directory, 'other')];
  for (const folder of [work, other]) await mkdir(folder);
  const models = createScriptedModels([{ text: 'One.' }, { text: 'Two.', hold: 'go' }]);
  const agent = createMultiSessionAgent({
    ...{ cwd: work, agentDirectory: join(directory, 'home'), home: join(directory, 'user'), env: {}, models },
    settings: { ...defaultSettings, ...settings },
    ports: createSystemPorts({}),
  });
  onTestFinished(() => agent.close());
  const { pool } = agent.hub;
  if (!pool) throw new Error('the hub has no pool');
  return { pool, models, work, other, directory };
}

const ask = (session: AgentSession, message: string) => session.runs.prompt({ message, onAccepted() {} });

test('an open session continues in the new directory, with its history, features and system prompt', async () => {
  const { pool, models, work, other } = await setup();
  const { session } = await pool.open({
    id: 's',
    persist: true,
    systemPrompt: 'Be brief.',
    features: { skills: false },
  });
  await ask(session, 'First');
  const artifacts = (session.file ?? '').replace(/\.jsonl$/, '');
  await mkdir(artifacts, { recursive: true });
  await writeFile(join(artifacts, '0.bash.log'), 'output');
  const ports = await session.loadPorts?.();
  const moved = await ports?.sessions.move(undefined, other);
  const next = pool.find('s');
  expect(moved).toEqual({ sessionId: 's', path: next?.file, cwd: other, reopened: true });
  expect(next).not.toBe(session);
  expect(next?.cwd).toBe(other);
  expect(next?.history.messages()).toHaveLength(2);
  expect(existsSync(session.file ?? '')).toBe(false);
  expect(existsSync((next?.file ?? '').replace(/\.jsonl$/, '/0.bash.log'))).toBe(true);
  if (next) expect(pool.getFeatures(next)).toMatchObject({ skills: false });
  models.release('go');
  if (next) await ask(next, 'Second');
  expect(models.requests.at(-1)?.systemPrompt).toContain('Be brief.');
  expect((await pool.list()).map(({ id, cwd }) => [id, cwd])).toEqual([['s', other]]);
  // And back, by the beginning of the path that list_sessions shows.
  const back = await (await pool.loadPorts()).sessions.move(next?.file, work);
  expect(back).toMatchObject({ sessionId: 's', cwd: work, reopened: true });
  expect(pool.find('s')?.history.messages()).toHaveLength(4);
});

test('a session is not moved during a run, and a stored one is moved without opening it', async () => {
  const { pool, models, other } = await setup();
  const { session } = await pool.open({ id: 's', persist: true });
  await ask(session, 'First');
  const running = ask(session, 'Second');
  await models.waitForHold('go');
  const { sessions } = await pool.loadPorts();
  await expect(sessions.move('s', other)).rejects.toMatchObject({ code: 'busy' });
  expect(pool.find('s')).toBe(session);
  models.release('go');
  await running;
  await pool.close('s');
  expect(await sessions.move('s', other)).toMatchObject({ sessionId: 's', cwd: other, reopened: false });
  expect(pool.find('s')).toBeUndefined();
  const { session: again } = await pool.open({ id: 's', mustExist: true, cwd: other, persist: true });
  expect(again.history.messages()).toHaveLength(4);
});

test('a directory that the path policy does not allow is refused, and so is a missing one', async () => {
  const { pool, other, directory } = await setup({ paths: 'enforce' });
  const { session } = await pool.open({ id: 's', persist: true });
  await ask(session, 'First');
  const ports = await session.loadPorts?.();
  await expect(ports?.sessions.move('s', other)).rejects.toMatchObject({ code: 'refused' });
  await expect(ports?.sessions.move('s', join(directory, 'none'))).rejects.toThrow('does not exist');
  expect(pool.find('s')).toBe(session);
});

test('a session without a stored log, and one that does not exist, are not found', async () => {
  const { pool, other } = await setup();
  const { session } = await pool.open({ id: 's', persist: false });
  await ask(session, 'First');
  const { sessions } = await pool.loadPorts();
  await expect(sessions.move('s', other)).rejects.toThrow('Session not found: s');
  await expect(sessions.move(undefined, other)).rejects.toThrow('sessionId is required');
  expect(pool.find('s')).toBe(session);
});
