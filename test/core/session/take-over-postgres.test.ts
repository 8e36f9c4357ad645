// A session in PostgreSQL is taken over while its first process is suspended in a tool. Only one of them goes on.
import { object } from 'valibot';
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import { type Tool, tool } from '../../../src/contracts/index.ts';
import { extractText } from '../../../src/protocol/index.ts';
import { openPostgres, openStore } from '../../store/postgres/postgres-fixture.ts';
import { withClient } from '../../support/database-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { openSession } from './session-fixture.ts';

const CALLS = {
  calls: [
    { id: 'a', name: 'change' },
    { id: 'b', name: 'change' },
  ],
};

function createTool(ran: string[], wait: (id: string) => Promise<void> = async () => {}): Tool {
  return tool({
    ...{ name: 'change', doc: '', effect: 'write', params: object({}) },
    async run(_, { toolCallId }) {
      ran.push(toolCallId);
      await wait(toolCallId);
      return { content: [{ type: 'text', text: `done ${toolCallId}` }] };
    },
  }) as unknown as Tool;
}

test('the first process runs no more tools, and the second one finishes the turn', async () => {
  const { url, openStorage } = await openPostgres();
  const started = createDeferred();
  const suspended = createDeferred();
  const ranFirst: string[] = [];
  const first = await openSession({
    directory: createTemporaryDirectory(),
    script: [CALLS, { text: 'of the first' }],
    store: openStore(openStorage()),
    tools: [
      createTool(ranFirst, () => {
        started.resolve();
        return suspended.promise;
      }),
    ],
  });
  const run = first.prompt('go');
  await started.promise;
  await withClient(url, (sql) => sql`update parley.holders set expires_at = clock_timestamp() - interval '1 second'`);
  const ranSecond: string[] = [];
  const second = await openSession({
    directory: createTemporaryDirectory(),
    script: [{ text: 'of the second' }],
    store: openStore(openStorage({ self: { pid: 77, host: 'elsewhere' } })),
    session: first.session.file as string,
    tools: [createTool(ranSecond)],
  });
  expect(second.session.runs.isInterrupted).toBe(true);
  const continued = second.session.runs.continueInterrupted({ source: 'takeover' });
  suspended.resolve();
  await Promise.all([run, continued]);
  expect([ranFirst, ranSecond, first.models.requests.length]).toEqual([['a'], ['b'], 1]);
  expect(first.notices()).toEqual([expect.stringContaining('was taken over by another process')]);
  const { entries } = await openStore(openStorage()).read(first.session.file as string);
  const texts = entries.flatMap((entry) => {
    if (entry.type !== 'message' || entry.message.role === 'user' || !('content' in entry.message)) return [];
    return extractText(entry.message.content as string);
  });
  expect(texts).toEqual(['', expect.stringMatching(/^Interrupted: .* was started at /), 'done b', 'of the second']);
  await second.session.close();
  await first.session.close();
});
