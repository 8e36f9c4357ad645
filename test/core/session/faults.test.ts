// Disk faults, short writes and crashes at every file operation of a session: acknowledged data is not lost, the session
// continues, and the host gets one notice.
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { toModelMessages } from '../../../src/core/context/to-model-messages.ts';
import { extractText, type ModelMessage } from '../../../src/protocol/index.ts';
import type { ScriptStep } from '../../../src/testing/index.ts';
import { createFaultyFiles, type FaultyFiles, type InjectedFault } from '../../store/faulty-files.ts';
import { findHistoryErrors } from '../../support/history-check.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession, otherProcess, type SessionFixture } from './session-fixture.ts';

const answer: ScriptStep = ({ systemPrompt, messages }) => {
  if (systemPrompt.startsWith('You write summaries')) return { text: 'the summary' };
  const last = messages.at(-1) as ModelMessage;
  const prompt = extractText(last.content);
  if (prompt.startsWith('use')) return { calls: [{ name: 'note', arguments: {} }] };
  if (prompt.startsWith('wait')) return { text: 'after a while', hold: prompt };
  return { text: `an answer to: ${prompt}` };
};
const script: readonly ScriptStep[] = Array.from({ length: 40 }, () => answer);

interface WorkloadResult {
  /** Texts of messages that the session acknowledged. */
  acknowledged: string[];
  refused: string[];
  /** Texts of messages with a message_end event while there was no storage problem. */
  ended: string[];
  /** Session files, in the order of their first write. */
  files: Set<string>;
}

/** Runs prompts, a tool, messages in both queues, a compaction and a branch. Continues after every refused step. */
async function runWorkload(fixture: SessionFixture): Promise<WorkloadResult> {
  const { session, models } = fixture;
  const workload: WorkloadResult = { acknowledged: [], refused: [], ended: [], files: new Set() };
  let isStorageHealthy = true;
  session.subscribe((event) => {
    if (event.type === 'notice') isStorageHealthy = event.level === 'info';
    if (event.type === 'message_end' && isStorageHealthy && 'content' in event.message)
      workload.ended.push(extractText(event.message.content));
  });
  /** Names in parentheses are steps without a message. */
  const attempt = async (name: string, step: () => Promise<unknown>) => {
    try {
      await step();
      if (!name.startsWith('(')) workload.acknowledged.push(name);
      if (session.file) workload.files.add(session.file);
    } catch {
      workload.refused.push(name);
    }
  };
  const prompt = (text: string) => attempt(text, () => fixture.prompt(text));
  await prompt('use a tool');
  const heldPrompt = prompt('wait for me');
  await Promise.race([models.waitForHold('wait for me'), heldPrompt]);
  await attempt('steered', () => session.runs.steer({ message: 'steered' }));
  await attempt('followed', () => session.runs.followUp({ message: 'followed' }));
  models.release('wait for me');
  await heldPrompt;
  await attempt('(compact)', () => session.compaction.compact());
  await prompt('after the summary');
  await attempt('(branch)', async () => {
    const points = await session.history.branchPoints();
    await session.history.branch(points.find(({ text }) => text === 'wait for me')?.entryId ?? '');
  });
  await prompt('on another branch');
  return workload;
}

/** Runs `check` with the fault at file operation 1, 2, 3 … until the check ends before the fault. */
async function atEveryOperation(
  injectedFault: InjectedFault,
  check: (files: FaultyFiles) => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n += 1) {
    const files = createFaultyFiles((operation) => (operation === n ? injectedFault : undefined));
    await check(files);
    await files.closeLeakedFiles();
    if (files.total < n) return n - 1;
  }
}

/** Resumes every session in another process, which must be able to prompt it. Returns the contents of the files. */
async function resumeAll(directory: string, files: ReadonlySet<string>): Promise<string> {
  let contents = '';
  for (const session of files) {
    if (!(await createFiles().info(session))) continue;
    const fixture = await openSession({ directory, script, self: otherProcess, session });
    expect(fixture.session.history.messages().length).toBeGreaterThanOrEqual(0);
    const before = fixture.session.history.messages();
    if (before.length > 0) expect(findHistoryErrors(toModelMessages(before))).toEqual([]);
    await fixture.prompt('next prompt');
    expect(fixture.models.requests.flatMap(({ messages }) => findHistoryErrors(messages))).toEqual([]);
    await fixture.session.close();
    contents += readFileSync(session, 'utf8');
  }
  return contents;
}

test.each<InjectedFault>(['fail', 'late', 'torn', 'short'])(
  '%s: acknowledged data is not lost, and the session continues',
  async (fault) => {
    const operations = await atEveryOperation(fault, async (files) => {
      const directory = createTemporaryDirectory();
      const fixture = await openSession({ directory, files, script, keepRecentTokens: 10 });
      const workload = await runWorkload(fixture);
      files.stopFaults();
      await fixture.prompt('at last');
      // One fault refuses at most one step, and a short write refuses none. Without the prompt 'wait for me' the branch fails
      // too, and perhaps the compaction.
      const consequences = workload.refused.includes('wait for me') ? ['(compact)', '(branch)'] : [];
      const refused = workload.refused.filter((name) => !consequences.includes(name));
      expect(refused.length).toBeLessThanOrEqual(fault === 'short' ? 0 : 1);
      const notices = fixture.notices();
      expect(notices.filter((notice) => notice.startsWith('error: ')).length).toBeLessThanOrEqual(1);
      if (notices.length > 0) expect(notices).toEqual([expect.stringMatching(/^error: .*ENOSPC/), RECOVERED]);
      expect(fixture.models.requests.flatMap(({ messages }) => findHistoryErrors(messages))).toEqual([]);
      await fixture.session.close();
      const stored = await resumeAll(directory, workload.files);
      for (const text of [...workload.acknowledged, ...workload.ended])
        expect(stored).toContain(JSON.stringify(text).slice(1, -1));
    });
    expect(operations).toBeGreaterThan(40);
  },
);

const RECOVERED = 'info: The session file can be written again. All entries are saved.';

test('crash: acknowledged and reported data is on disk, and the next process can resume', async () => {
  await atEveryOperation('crash', async (files) => {
    const directory = createTemporaryDirectory();
    const fixture = await openSession({ directory, files, script, keepRecentTokens: 10 });
    const workload = await runWorkload(fixture);
    const stored = await resumeAll(directory, workload.files);
    for (const text of [...workload.acknowledged, ...workload.ended])
      expect(stored).toContain(JSON.stringify(text).slice(1, -1));
  });
});

test('a full disk is reported once, prompts are refused, and all entries are written when there is space again', async () => {
  const directory = createTemporaryDirectory();
  let isFull = false;
  const files = createFaultyFiles((_, name) => (isFull && name === 'append' ? 'torn' : undefined));
  const fixture = await openSession({ directory, files, script });
  await fixture.prompt('before');
  const run = fixture.prompt('wait for me');
  await fixture.models.waitForHold('wait for me');
  isFull = true;
  await expect(fixture.session.runs.steer({ message: 'cannot be stored' })).rejects.toThrow(/ENOSPC/);
  fixture.models.release('wait for me');
  // The answer cannot be refused any more: it stays in memory.
  await run;
  await expect(fixture.prompt('refused')).rejects.toThrow(/ENOSPC/);
  await expect(fixture.prompt('refused again')).rejects.toThrow(/ENOSPC/);
  expect(fixture.notices()).toEqual([expect.stringMatching(/^error: .*ENOSPC/)]);
  isFull = false;
  await fixture.prompt('afterwards');
  expect(fixture.notices().slice(1)).toEqual([RECOVERED]);
  await fixture.session.close();
  const stored = readFileSync(fixture.session.file as string, 'utf8');
  const texts = ['before', 'wait for me', 'after a while', 'afterwards'];
  expect(texts.filter((text) => !stored.includes(text))).toEqual([]);
  expect(stored).not.toMatch(/refused|cannot be stored/);
  const entries = parseEntries(stored);
  expect(entries.every(({ id, parentId }, at) => parentId === (at === 0 ? null : entries[at - 1]?.id) && id)).toBe(
    true,
  );
  await files.closeLeakedFiles();
});

/** A session file of version 1: a list of entries without ids. */
const VERSION_1 = [
  { type: 'session', id: 'old', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/project' },
  { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'long ago' }], timestamp: 1 } },
]
  .map((entry) => `${JSON.stringify(entry)}\n`)
  .join('');

test.each<InjectedFault>(['fail', 'late', 'torn', 'short', 'crash'])(
  '%s at every operation of a switch to a version 1 session: one of the two sessions stays usable, and neither loses data',
  async (fault) => {
    let switchCount = 0;
    const operations = await atEveryOperation(fault, async (files) => {
      const directory = createTemporaryDirectory();
      const old = `${directory}/old.jsonl`;
      writeFileSync(old, VERSION_1);
      const fixture = await openSession({ directory, files, script });
      const firstFile = await fixture.prompt('before the switch').then(
        () => fixture.session.file as string,
        () => undefined,
      );
      const isSwitched = await fixture.session.history.switchTo(old).then(
        () => true,
        () => false,
      );
      expect(fixture.session.file === old).toBe(isSwitched);
      const promptedFile = await fixture.prompt('after the switch').then(
        () => fixture.session.file,
        () => undefined,
      );
      switchCount += isSwitched ? 1 : 0;
      if (fault !== 'crash') await fixture.session.close();
      // The file is complete in the old or the new version. The backup is complete before the file has the new version.
      const content = readFileSync(old, 'utf8');
      if (content.includes('"version":3')) expect(readFileSync(`${old}.v1.bak`, 'utf8')).toBe(VERSION_1);
      else expect(content).toBe(VERSION_1);
      expect(content).toContain('long ago');
      if (promptedFile) expect(readFileSync(promptedFile, 'utf8')).toContain('after the switch');
      // An empty lock, whose process crashed before it wrote its id, expires after a few seconds.
      if (existsSync(`${old}.lock`)) utimesSync(`${old}.lock`, 0, 0);
      const stored = await resumeAll(directory, new Set([old, ...(firstFile ? [firstFile] : [])]));
      if (firstFile) expect(stored).toContain('before the switch');
    });
    expect(operations).toBeGreaterThan(40);
    expect(switchCount).toBeGreaterThan(5);
  },
);

function parseEntries(log: string): { id: string; parentId: string | null }[] {
  const [, ...lines] = log.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
