// Transcripts of subagents are read from the folder of their session, with limits, and never from other places.
import { expect, test } from 'vitest';
import { loadSubagents, SUBAGENT_LIMITS, type SubagentFiles } from '../../../src/core/export/load-subagents.ts';
import {
  answer,
  call,
  createEntries,
  type Raw,
  renderPlain,
  result,
  toSession,
  toText,
  user,
} from './export-session.ts';

const report = (id: string, toolCallId = 'a', more: Raw = {}): Raw =>
  result(toolCallId, 'report', {
    toolName: 'task',
    details: { results: [{ id, agent: 'task', exitCode: 0, ...more }] },
  });
const taskCall = (id: string, callId = 'a') => answer([call(callId, 'task', { agent: 'task', tasks: [{ id }] })]);

interface FakeFile {
  readonly bodies: readonly Raw[];
  readonly size?: number;
  readonly realPath?: string;
}

function createFiles(paths: Record<string, FakeFile>): SubagentFiles & { opened: string[] } {
  const opened: string[] = [];
  return {
    opened,
    sessionFile: '/s/main.jsonl',
    files: {
      async info(path) {
        const file = paths[path];
        return file && { kind: 'file', size: file.size ?? 10, modifiedMs: 0, mode: 0o600 };
      },
      realPath: async (path) => paths[path]?.realPath ?? path,
    },
    async read(path) {
      opened.push(path);
      const entries = createEntries((paths[path] as FakeFile).bodies);
      const header = { type: 'session' as const, id: path, timestamp: '', cwd: '/' };
      return { header, entries, leafId: entries.at(-1)?.id ?? null, name: undefined };
    },
  };
}

const load = (files: SubagentFiles, bodies: readonly Raw[], limits = {}) =>
  loadSubagents(createEntries(bodies), files, { ...SUBAGENT_LIMITS, ...limits });

test('transcripts are nested in the cards of their calls, with cards of their own', async () => {
  const files = createFiles({
    '/s/main/Docs.jsonl': {
      bodies: [
        user('Write docs'),
        taskCall('Deep', 'b'),
        report('Docs.Deep', 'b'),
        answer([{ type: 'text', text: 'Docs are done' }]),
      ],
    },
    '/s/main/Docs/Docs.Deep.jsonl': {
      bodies: [user('Look deeper'), answer([call('c', 'ls', { path: 'lib' })]), result('c', 'found it')],
    },
  });
  const session = {
    ...toSession([
      user('Go'),
      taskCall('Docs'),
      report('Docs', 'a', { description: 'Write the docs', durationMs: 1500 }),
    ]),
    subagentFiles: files,
  };
  const page = await renderPlain(session);
  const text = toText(page.slice(page.indexOf('<article')));
  expect(text).toMatch(
    /Subagent Docs · task · completed · 1\.5 s · 4 messages Write the docs .*Write docs.*Subagent Docs\.Deep · task · completed · 3 messages.*Look deeper.*ls lib.*found it.*Docs are done/,
  );
  // Entries of subagents have no ids, so that they cannot collide with those of the page.
  expect(page.match(/id="e-/g)).toHaveLength(3);
});

test('a missing file is reported in the card', async () => {
  const page = await renderPlain({ ...toSession([taskCall('Docs'), report('Docs')]), subagentFiles: createFiles({}) });
  expect(toText(page)).toContain(
    'Subagent Docs · task · completed · no transcript The session file of the subagent does not exist: Docs.jsonl',
  );
});

test('a call without a result shows the transcripts that exist', async () => {
  const files = createFiles({ '/s/main/Docs.jsonl': { bodies: [user('Begun')] } });
  const page = await renderPlain({ ...toSession([taskCall('Docs')]), subagentFiles: files });
  expect(toText(page)).toMatch(/No result: .* Subagent Docs · 1 message .*Begun/);
});

test('a session without a file says that there is no transcript', async () => {
  const files = { ...createFiles({}), sessionFile: undefined };
  const page = await renderPlain({ ...toSession([taskCall('Docs'), report('Docs')]), subagentFiles: files });
  expect(toText(page)).toContain('The session was not saved, so there is no transcript.');
});

test('the repair of a task is a second transcript', async () => {
  const files = createFiles({
    '/s/main/T.jsonl': { bodies: [user('Do')] },
    '/s/main/T-repair.jsonl': { bodies: [user('Repair')] },
  });
  const page = await renderPlain({ ...toSession([taskCall('T'), report('T')]), subagentFiles: files });
  expect(toText(page)).toMatch(/Subagent T · .* Do .*Repair by T · 1 message .* Repair/);
});

test.each(['../other', 'a/b', '..', '.hidden', 'a\\b', 'a\0b', '', `${'x'.repeat(300)}`])(
  'the id %j does not lead out of the folder',
  async (id) => {
    const files = createFiles({});
    const asked: string[] = [];
    const info = (path: string) => {
      asked.push(path);
      return files.files.info(path);
    };
    const loaded = await load({ ...files, files: { ...files.files, info } }, [taskCall(id), report(id)]);
    expect(loaded.get(id)?.problem).toBe('The id of the subagent is not a valid file name.');
    expect(asked).toEqual([]);
  },
);

test('a link to a file in another directory is not read', async () => {
  const files = createFiles({ '/s/main/T.jsonl': { bodies: [user('secret')], realPath: '/home/other.jsonl' } });
  const loaded = await load(files, [report('T')]);
  expect(loaded.get('T')?.problem).toContain('is in another directory');
  expect(files.opened).toEqual([]);
});

test('the middle of a long transcript is left out, and the page says how much', async () => {
  const bodies = Array.from({ length: 20 }, (_, at) => user(`number ${at}`));
  const loaded = await load(createFiles({ '/s/main/T.jsonl': { bodies } }), [report('T')], { maxEntries: 6 });
  const transcript = loaded.get('T');
  expect(transcript?.entries.map(({ id }) => id)).toEqual(['e0', 'e1', 'e2', 'e17', 'e18', 'e19']);
  expect([transcript?.leftOut, transcript?.gapPosition]).toEqual([14, 3]);
  const many = Array.from({ length: 700 }, (_, at) => user(`number ${at}.`));
  const files = createFiles({ '/s/main/T.jsonl': { bodies: many } });
  const page = await renderPlain({ ...toSession([taskCall('T'), report('T')]), subagentFiles: files });
  expect(toText(page)).toMatch(/number 299\. 100 entries are left out here\..* number 400\./);
});

test('limits of size, depth and number of entries are reported', async () => {
  const nested = { bodies: [user('x'), report('T.T')] };
  const files = createFiles({
    '/s/main/Big.jsonl': { bodies: [], size: 1e9 },
    '/s/main/T.jsonl': nested,
    '/s/main/T/T.T.jsonl': { bodies: [user('deep')] },
    '/s/main/U.jsonl': nested,
  });
  const big = await load(files, [report('Big')]);
  expect(big.get('Big')?.problem).toBe('Left out: its session file has 1000 MB.');
  const deep = await load(files, [report('T')], { maxDepth: 1 });
  expect(deep.get('T')?.subagents.get('T.T')?.problem).toBe('Left out: more than 1 levels of subagents.');
  const many = await load(files, [report('T'), report('U')], { maxTotalEntries: 3 });
  expect(many.get('U')?.problem).toContain('Left out: the page has enough transcripts already.');
});
