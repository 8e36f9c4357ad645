// The disk fails, takes less than it is given, or everything ends, at any operation of a whole session: what was
// acknowledged is there afterwards, the session goes on, and the host is told once.
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { toModelMessages } from '../../../src/core/context/to-model.ts';
import { type ModelMessage, textOf } from '../../../src/protocol/index.ts';
import type { ScriptStep } from '../../../src/testing/index.ts';
import { type FaultyFiles, faultyFiles, type Mishap } from '../../store/faulty-files.ts';
import { refusals } from '../../support/strict-provider.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { another, type Stage, setStage } from './stage.ts';

const answer: ScriptStep = ({ systemPrompt, messages }) => {
  if (systemPrompt.startsWith('You write summaries')) return { text: 'the summary' };
  const last = messages.at(-1) as ModelMessage;
  const words = textOf(last.content);
  if (words.startsWith('use')) return { calls: [{ name: 'note', arguments: {} }] };
  if (words.startsWith('wait')) return { text: 'after a while', hold: words };
  return { text: `an answer to: ${words}` };
};
const script: readonly ScriptStep[] = Array.from({ length: 40 }, () => answer);

interface Story {
  /** Texts that the session said it had taken. */
  acknowledged: string[];
  refused: string[];
  /** Messages whose end was told while the disk was well. */
  ended: string[];
  /** Session files, in the order in which they were written to. */
  files: Set<string>;
}

/** Prompts, a tool, messages in both queues, a compaction, a branch. Whatever is refused, the story goes on. */
async function live(stage: Stage): Promise<Story> {
  const { session, models } = stage;
  const story: Story = { acknowledged: [], refused: [], ended: [], files: new Set() };
  let well = true;
  session.subscribe((event) => {
    if (event.type === 'notice') well = event.level === 'info';
    if (event.type === 'message_end' && well && 'content' in event.message)
      story.ended.push(textOf(event.message.content));
  });
  const attempt = async (what: string, act: () => Promise<unknown>) => {
    try {
      await act();
      if (!what.startsWith('(')) story.acknowledged.push(what);
      if (session.file) story.files.add(session.file);
    } catch {
      story.refused.push(what);
    }
  };
  const say = (words: string) => attempt(words, () => stage.prompt(words));
  await say('use a tool');
  const waiting = say('wait for me');
  await Promise.race([models.reached('wait for me'), waiting]);
  await attempt('steered', () => session.runs.steer({ message: 'steered' }));
  await attempt('followed', () => session.runs.followUp({ message: 'followed' }));
  models.release('wait for me');
  await waiting;
  await attempt('(compact)', () => session.compaction.compact());
  await say('after the summary');
  await attempt('(branch)', async () => {
    const points = await session.history.branchPoints();
    await session.history.branch(points.find(({ text }) => text === 'wait for me')?.entryId ?? '');
  });
  await say('on another branch');
  return story;
}

/** Runs the story with the mishap at operation 1, 2, 3 … until it ends before the mishap comes. */
async function atEveryOperation(mishap: Mishap, check: (files: FaultyFiles) => Promise<void>): Promise<number> {
  for (let n = 1; ; n += 1) {
    const files = faultyFiles((operation) => (operation === n ? mishap : undefined));
    await check(files);
    await files.release();
    if (files.total < n) return n - 1;
  }
}

/** What is on disk, read by a program that was started afterwards; it must be able to go on with every session. */
async function afterwards(directory: string, story: Story): Promise<string> {
  let all = '';
  for (const session of story.files) {
    if (!(await createFiles().info(session))) continue;
    const stage = await setStage({ directory, script, self: another, session });
    expect(stage.session.history.messages().length).toBeGreaterThanOrEqual(0);
    const before = stage.session.history.messages();
    if (before.length > 0) expect(refusals(toModelMessages(before))).toEqual([]);
    await stage.prompt('the next one');
    expect(stage.models.requests.flatMap(({ messages }) => refusals(messages))).toEqual([]);
    await stage.session.close();
    all += readFileSync(session, 'utf8');
  }
  return all;
}

test.each<Mishap>(['fail', 'late', 'torn', 'short'])(
  '%s: nothing that was acknowledged is lost, and the session goes on',
  async (mishap) => {
    const operations = await atEveryOperation(mishap, async (files) => {
      const directory = temporaryDirectory();
      const stage = await setStage({ directory, files, script, keepRecentTokens: 10 });
      const story = await live(stage);
      files.heal();
      await stage.prompt('at last');
      // One thing goes wrong: at most one thing is refused, and nothing when the system merely took less. Without its
      // prompt there is nothing to branch before, and perhaps nothing to summarise.
      const consequences = story.refused.includes('wait for me') ? ['(compact)', '(branch)'] : [];
      const refused = story.refused.filter((what) => !consequences.includes(what));
      expect(refused.length).toBeLessThanOrEqual(mishap === 'short' ? 0 : 1);
      const told = stage.notices();
      expect(told.filter((notice) => notice.startsWith('error: ')).length).toBeLessThanOrEqual(1);
      if (told.length > 0) expect(told).toEqual([expect.stringMatching(/^error: .*ENOSPC/), BACK]);
      expect(stage.models.requests.flatMap(({ messages }) => refusals(messages))).toEqual([]);
      await stage.session.close();
      const kept = await afterwards(directory, story);
      for (const words of [...story.acknowledged, ...story.ended])
        expect(kept).toContain(JSON.stringify(words).slice(1, -1));
    });
    expect(operations).toBeGreaterThan(40);
  },
);

const BACK = 'info: The session is on disk again.';

test('crash: what was acknowledged and what was told before is there, and the next program goes on', async () => {
  await atEveryOperation('crash', async (files) => {
    const directory = temporaryDirectory();
    const stage = await setStage({ directory, files, script, keepRecentTokens: 10 });
    const story = await live(stage);
    const kept = await afterwards(directory, story);
    for (const words of [...story.acknowledged, ...story.ended])
      expect(kept).toContain(JSON.stringify(words).slice(1, -1));
  });
});

test('a disk that stays full is told of once, refuses what it cannot keep, and has everything when there is space', async () => {
  const directory = temporaryDirectory();
  let full = false;
  const files = faultyFiles((_, name) => (full && name === 'append' ? 'torn' : undefined));
  const stage = await setStage({ directory, files, script });
  await stage.prompt('before');
  const run = stage.prompt('wait for me');
  await stage.models.reached('wait for me');
  full = true;
  await expect(stage.session.runs.steer({ message: 'cannot be kept' })).rejects.toThrow(/ENOSPC/);
  stage.models.release('wait for me');
  // The answer already happened: it waits in memory.
  await run;
  await expect(stage.prompt('refused')).rejects.toThrow(/ENOSPC/);
  await expect(stage.prompt('refused again')).rejects.toThrow(/ENOSPC/);
  expect(stage.notices()).toEqual([expect.stringMatching(/^error: .*ENOSPC/)]);
  full = false;
  await stage.prompt('afterwards');
  expect(stage.notices().slice(1)).toEqual([BACK]);
  await stage.session.close();
  const kept = readFileSync(stage.session.file as string, 'utf8');
  const texts = ['before', 'wait for me', 'after a while', 'afterwards'];
  expect(texts.filter((words) => !kept.includes(words))).toEqual([]);
  expect(kept).not.toMatch(/refused|cannot be kept/);
  const { parents } = parentsIn(kept);
  expect(parents.every(({ id, parentId }, at) => parentId === (at === 0 ? null : parents[at - 1]?.id) && id)).toBe(
    true,
  );
  await files.release();
});

/** A list without ids, as the first version was. */
const OLD = [
  { type: 'session', id: 'old', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/project' },
  { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'long ago' }], timestamp: 1 } },
]
  .map((entry) => `${JSON.stringify(entry)}\n`)
  .join('');

test.each<Mishap>(['fail', 'late', 'torn', 'short', 'crash'])(
  '%s at any operation of a switch to a session of an old version: one of the two sessions goes on, and neither loses a word',
  async (mishap) => {
    let switched = 0;
    const operations = await atEveryOperation(mishap, async (files) => {
      const directory = temporaryDirectory();
      const old = `${directory}/old.jsonl`;
      writeFileSync(old, OLD);
      const stage = await setStage({ directory, files, script });
      const here = await stage.prompt('before the switch').then(
        () => stage.session.file as string,
        () => undefined,
      );
      const arrived = await stage.session.history.switchTo(old).then(
        () => true,
        () => false,
      );
      expect(stage.session.file === old).toBe(arrived);
      const went = await stage.prompt('after the switch').then(
        () => stage.session.file,
        () => undefined,
      );
      switched += arrived ? 1 : 0;
      if (mishap !== 'crash') await stage.session.close();
      // The old file is whole in one version or the other, and whole in its copy before it is the new one.
      const found = readFileSync(old, 'utf8');
      if (found.includes('"version":3')) expect(readFileSync(`${old}.v1.bak`, 'utf8')).toBe(OLD);
      else expect(found).toBe(OLD);
      expect(found).toContain('long ago');
      if (went) expect(readFileSync(went, 'utf8')).toContain('after the switch');
      // A lock whose maker ended before it had written its name into it counts for nothing after a few seconds.
      if (existsSync(`${old}.lock`)) utimesSync(`${old}.lock`, 0, 0);
      const both = new Set([old, ...(here ? [here] : [])]);
      const kept = await afterwards(directory, { acknowledged: [], refused: [], ended: [], files: both });
      if (here) expect(kept).toContain('before the switch');
    });
    expect(operations).toBeGreaterThan(40);
    expect(switched).toBeGreaterThan(5);
  },
);

/** Entries of a log in one line: each must follow the one before it. */
function parentsIn(log: string): { parents: { id: string; parentId: string | null }[] } {
  const [, ...entries] = log.trimEnd().split('\n');
  return { parents: entries.map((entry) => JSON.parse(entry)) };
}
