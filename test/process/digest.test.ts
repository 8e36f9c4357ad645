// Going on with a long session of another program, again and again: with what is remembered of it and without, hosts are told
// the same.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlace, type Place, runProgram, startRpc } from '../support/program.ts';
import { entriesOf, modeOf } from '../support/session-files.ts';

const STAMP = '2026-01-02T03:04:05.000Z';

/** Written by another program: longer than what is read again without a thought, with a name near its beginning. */
function longSession({ home, cwd }: Place, messages = 900): string {
  const file = join(home, 'theirs.jsonl');
  const id = (n: number) => n.toString(16).padStart(8, '0');
  const lines: object[] = [{ type: 'session', version: 3, id: 'theirs', timestamp: STAMP, cwd }];
  const add = (type: string, body: object) => {
    const n = lines.length;
    lines.push({ type, id: id(n), parentId: n === 1 ? null : id(n - 1), timestamp: STAMP, ...body });
  };
  add('model_change', { provider: 'parley', modelId: 'offline' });
  add('session_info', { name: 'a long talk' });
  for (let n = 0; n < messages; n += 1)
    add('message', { message: { role: 'user', content: `question ${n} ${'and more '.repeat(40)}`, timestamp: n } });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** One life of the program: what a host is told first, and what was said. */
async function life(place: Place, file: string, prompt?: string) {
  const program = startRpc(['--session', file], { place });
  const state = await program.ask({ type: 'get_state' });
  if (prompt !== undefined) {
    program.send({ type: 'prompt', message: prompt });
    await program.frame({ type: 'agent_settled' });
  }
  const messages = await program.ask({ type: 'get_messages' });
  program.stdin.end();
  expect((await program.ended).code).toBe(0);
  return { state: state.data, messages: (messages.data as { messages: unknown[] }).messages };
}

test('a host is told the same, and what was added is there', async () => {
  const place = newPlace();
  const file = longSession(place);
  const before = readFileSync(file);
  const first = await life(place, file);
  expect(first.state).toMatchObject({ sessionName: 'a long talk', messageCount: 900 });
  expect(modeOf(`${file}.digest`)).toBe('600');
  expect(readFileSync(`${file}.digest`, 'utf8')).not.toContain('question');
  // Looking changes nothing.
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(await life(place, file)).toEqual(first);
  const spoken = await life(place, file, 'say `more`');
  expect(spoken.messages).toHaveLength(902);
  const after = await life(place, file);
  expect(after.state).toMatchObject({ sessionName: 'a long talk', messageCount: 902 });
  rmSync(`${file}.digest`);
  expect(await life(place, file)).toEqual(after);
  expect(after.messages).toEqual(spoken.messages);
  const ids = entriesOf(file).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}, 120_000);

test('a digest stays right through kill -9 and the other program’s next words', async () => {
  const place = newPlace();
  const file = longSession(place);
  await life(place, file);
  const program = startRpc(['--session', file], { place });
  program.send({ type: 'prompt', message: 'say `more`' });
  await program.frame({ type: 'agent_settled' });
  program.kill('SIGKILL');
  await program.ended;
  const after = await life(place, file);
  expect(after.state).toMatchObject({ messageCount: 902 });
  const last = entriesOf(file).at(-1) as { id: string };
  const theirs = { role: 'user', content: 'from elsewhere', timestamp: 1 };
  const line = { type: 'message', id: 'ffffffff', parentId: last.id, timestamp: STAMP, message: theirs };
  writeFileSync(file, `${JSON.stringify(line)}\n`, { flag: 'a' });
  const again = await life(place, file);
  expect(again.state).toMatchObject({ messageCount: 903 });
  expect(again.messages.at(-1)).toEqual(theirs);
}, 120_000);

test('without a session nothing is remembered, and a deleted one leaves nothing behind', async () => {
  const place = newPlace();
  const file = longSession(place);
  const program = startRpc(['--no-session'], { place });
  await program.ask({ type: 'get_state' });
  program.stdin.end();
  await program.ended;
  expect(existsSync(`${file}.digest`)).toBe(false);
  await life(place, file);
  expect(existsSync(`${file}.digest`)).toBe(true);
  // By its path alone: it lies in no folder of ours.
  const { code } = await runProgram(['sessions', 'delete', file], '', { place });
  expect([code, existsSync(file), existsSync(`${file}.digest`)]).toEqual([0, false, false]);
}, 120_000);
