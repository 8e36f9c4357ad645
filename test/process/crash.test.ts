// Kills the program at random points of real runs: acknowledged input must be on disk, and a strict provider must accept the next
// prompt. `npm run soak:crash` does it 300 times.
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import {
  crashAtFrame,
  createRandom,
  findMissingMessages,
  findOnlySession,
  type ReceivedMessages,
  resumeWithPrompt,
} from '../support/crashes.ts';
import { createDirectories } from '../support/program.ts';

const TIMES = Number(process.env.CRASHES ?? 25);
const SEED = Number(process.env.SEED ?? 1);
/** Crashes per session: each start finds the file of the crash before. */
const CRASHES_PER_SESSION = 5;
/** About as many as a complete run has. */
const MOST_FRAMES = 90;

vi.setConfig({ testTimeout: 20_000 * TIMES });

test(`${TIMES} kills at random points lose no acknowledged message, and the session can be resumed`, async () => {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  const random = createRandom(SEED);
  const tally = { crashes: 0, acknowledged: 0, ended: 0, frames: 0, torn: 0 };
  for (let n = 0; n < TIMES; n += CRASHES_PER_SESSION) {
    const directories = createDirectories();
    const promised: ReceivedMessages[] = [];
    for (let turn = 0; turn < Math.min(CRASHES_PER_SESSION, TIMES - n); turn++) {
      const name = `r${n + turn}`;
      const session = turn === 0 ? 'new' : 'last';
      // More kills early in a run: half of them are in the first third.
      const afterFrames = Math.ceil(random() ** 1.6 * MOST_FRAMES);
      promised.push(await crashAtFrame(server, directories, { name, session, afterFrames }));
      tally.torn += isTorn(directories.home) ? 1 : 0;
    }
    const { stops, notices } = await resumeWithPrompt(server, directories, `r${n}`);
    expect({ n, stops }).toEqual({ n, stops: ['stop'] });
    // Only a notice about an incomplete last line is allowed.
    expect(notices.filter((notice) => !/broke off after/.test(JSON.stringify(notice)))).toEqual([]);
    const entries = readFileSync(findOnlySession(directories), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const one of promised) expect({ n, missing: findMissingMessages(one, entries) }).toEqual({ n, missing: [] });
    tally.crashes += promised.length;
    for (const { acknowledged, ended, frames } of promised) {
      tally.acknowledged += acknowledged.length;
      tally.ended += ended.length;
      tally.frames += frames;
    }
  }
  expect(tally.acknowledged).toBeGreaterThan(TIMES);
  process.stderr.write(`crashes: ${JSON.stringify(tally)}\n`);
});

function isTorn(home: string): boolean {
  const file = onlySessionOrNone(home);
  return file !== undefined && !readFileSync(file, 'utf8').endsWith('\n');
}

function onlySessionOrNone(home: string): string | undefined {
  return existsSync(`${home}/sessions`) ? findOnlySession({ home, cwd: '' }) : undefined;
}
