// A typical session: text, code, a table, a diff, an image, thinking, errors, branches, a compaction.
import type { StoredSession } from '../../src/contracts/index.ts';
import type { SessionEntry } from '../../src/protocol/index.ts';

type Raw = Record<string, unknown>;

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGNg+M+AFWEXHbQSACj/P8F3X/kAAAAASUVORK5CYII=';
const usage = (input: number, output: number) => ({
  input,
  output,
  cacheRead: 12_400,
  cacheWrite: 800,
  totalTokens: input + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: (input * 3 + output * 15) / 1e6 },
});
const user = (text: string, ...more: Raw[]): Raw => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }, ...more], timestamp: 1 },
});
const answer = (content: Raw[], more: Raw = {}): Raw => ({
  type: 'message',
  message: {
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    usage: usage(1830, 412),
    stopReason: 'stop',
    timestamp: 2,
    ...more,
  },
});
const result = (toolCallId: string, toolName: string, text: string, more: Raw = {}): Raw => ({
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
    ...more,
  },
});
const call = (id: string, name: string, args: Raw): Raw => ({ type: 'toolCall', id, name, arguments: args });

const PROSE = `The parser trusted its input. Here is what I changed:

1. \`parseConfig\` now **rejects** a missing \`port\` instead of falling back to \`0\`
2. the error names the file, the key and the value
3. tests for the three ways it used to fail

\`\`\`ts
export function parseConfig(text: string): Config {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Fault('config', 'The file is not an object');
  return { port: portOf(value.port), host: String(value.host ?? 'localhost') };
}
\`\`\`

| case | before | after |
|---|---|---|
| no port | listens on 0 | refuses, names the key |
| port 70000 | crashes later | refuses at once |
| host missing | \`undefined\` | \`localhost\` |

> An implicit default is a bug that is hard to find.

More about it in [the documentation](https://example.com/docs?a=1&b=2).`;

const OUTPUT = Array.from({ length: 40 }, (_, n) => `src/config/part-${n}.ts:${n * 7 + 3}: parseConfig(text)`).join(
  '\n',
);

const LINE: readonly Raw[] = [
  { type: 'model_change', provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
  { type: 'thinking_level_change', thinkingLevel: 'medium' },
  user('The server starts on port 0 when the config has no port. Please find out why and fix it.'),
  answer(
    [
      { type: 'thinking', thinking: 'Where is the config read? Let me look for parseConfig first.' },
      { type: 'text', text: 'I will look for the place where the configuration is read.' },
      call('c1', 'grep', { pattern: 'parseConfig', path: 'src' }),
    ],
    { stopReason: 'toolUse' },
  ),
  result('c1', 'grep', OUTPUT),
  answer([call('c2', 'edit', { path: 'src/config.ts', oldText: 'port ?? 0', newText: 'portOf(port)' })], {
    stopReason: 'toolUse',
  }),
  result('c2', 'edit', 'Successfully replaced text in src/config.ts.', {
    details: {
      diff: ' 11 export function parseConfig(text: string): Config {\n 12   const value = JSON.parse(text);\n-13   return { port: value.port ?? 0 };\n+13   return { port: portOf(value.port) };\n 14 }',
    },
  }),
  answer([call('c3', 'bash', { command: 'npm test -- config' })], { stopReason: 'toolUse' }),
  result('c3', 'bash', ' FAIL  test/config.test.ts\n  expected 8080 to be 0\n\nCommand exited with code 1', {
    isError: true,
  }),
  answer([{ type: 'text', text: PROSE }]),
  { type: 'session_info', name: 'Fix the port of the server' },
  {
    type: 'message',
    message: {
      role: 'bashExecution',
      command: 'git status --short && git diff --stat',
      output: ' M src/config.ts\n M test/config.test.ts\n 2 files changed, 31 insertions(+), 4 deletions(-)',
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 4,
    },
  },
  user('What does this picture of the dashboard tell you?', { type: 'image', data: PICTURE, mimeType: 'image/png' }),
  answer([{ type: 'text', text: 'It shows a purple square: the dashboard did not load.' }]),
  {
    type: 'compaction',
    summary: '## Goal\nFix the port.\n\n## Progress\n- [x] parseConfig refuses a missing port',
    firstKeptEntryId: 's12',
    tokensBefore: 48_210,
  },
  { type: 'custom_message', customType: 'reminder', content: 'Two tests are still red.', display: true },
  user('And now write a migration for old config files.'),
  answer([{ type: 'text', text: 'I began' }], { stopReason: 'error', errorMessage: '529 overloaded: try again later' }),
];

/** A branch that starts before the question about the image. */
const BRANCH: readonly Raw[] = [
  user('Instead, show me a log of the last changes.'),
  answer([{ type: 'text', text: 'Here is the log of the other branch.' }]),
];

export function showcase(): StoredSession {
  const stamp = (at: number) => new Date(Date.UTC(2026, 0, 2, 9, at)).toISOString();
  const trunk = LINE.map((body, at) => ({
    id: `s${at}`,
    parentId: at ? `s${at - 1}` : null,
    timestamp: stamp(at),
    ...body,
  }));
  const other = BRANCH.map((body, at) => ({
    id: `b${at}`,
    parentId: at ? `b${at - 1}` : 's11',
    timestamp: stamp(30 + at),
    ...body,
  }));
  const label = { id: 'l0', parentId: 's17', timestamp: stamp(40), type: 'label', targetId: 's9', label: 'the answer' };
  const entries = [...trunk.slice(0, 12), ...other, ...trunk.slice(12), label] as unknown as SessionEntry[];
  const header = {
    type: 'session' as const,
    version: 3,
    id: '0198c0de-0000-4000-8000-00000000cafe',
    timestamp: stamp(0),
    cwd: '/project/server',
  };
  return { header, entries, leafId: 'l0', name: 'Fix the port of the server' };
}

/** A session with the given number of messages. */
export function longSession(messages: number): StoredSession {
  const entries = Array.from({ length: messages }, (_, at) => ({
    id: `m${at}`,
    parentId: at === 0 ? null : `m${at - 1}`,
    timestamp: '2026-01-02T09:00:00.000Z',
    ...(at % 2 === 0
      ? user(`Question number ${at}: what does \`part${at}\` do?`)
      : answer([{ type: 'text', text: `Answer ${at}.\n\n${PROSE}` }])),
  })) as unknown as SessionEntry[];
  const header = {
    type: 'session' as const,
    version: 3,
    id: 'long',
    timestamp: '2026-01-02T09:00:00.000Z',
    cwd: '/project/server',
  };
  return { header, entries, leafId: entries.at(-1)?.id ?? null, name: undefined };
}
