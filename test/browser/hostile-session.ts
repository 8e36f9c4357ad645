// A session with every entry type and every field, and copies of it with a payload in each field.
import type { ExportedSession } from '../../src/core/export/render-session-page.ts';
import type { SessionEntry, SessionHeader } from '../../src/protocol/index.ts';

type Raw = { [key: string]: unknown };

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, totalTokens: 20, cost: { total: 0.01 } };

const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const words = { type: 'text', text: 'words', textSignature: 'signature' };
const attachment = {
  id: 'a1',
  type: 'document',
  fileName: 'a.txt',
  mimeType: 'text/plain',
  size: 3,
  content: 'YWJj',
  extractedText: 'abc',
  preview: 'abc',
};

const message = (role: string, more: Raw): Raw => ({ type: 'message', message: { role, ...more, timestamp: 1 } });

/** One entry of each type, with every field of Parley, pi and oh-my-pi. */
const KINDS: readonly Raw[] = [
  message('user', { content: [words, image, picture], attachments: [attachment] }),
  message('user', { content: 'a plain text' }),
  message('assistant', {
    content: [
      words,
      { type: 'thinking', thinking: 'a thought', thinkingSignature: 'signature' },
      {
        type: 'toolCall',
        id: 'c1',
        name: 'edit',
        arguments: { path: 'a.ts', deep: { list: ['x'] } },
        thoughtSignature: 's',
      },
    ],
    api: 'wire',
    provider: 'acme',
    model: 'one',
    usage,
    stopReason: 'error',
    errorMessage: 'a failure',
  }),
  message('toolResult', {
    toolCallId: 'c1',
    toolName: 'edit',
    content: [words, image],
    details: { diff: '+1 a\n-2 b\n 3 c', path: 'a.ts' },
    isError: true,
  }),
  message('toolResult', { toolCallId: 'c2', toolName: 'read', content: [words], isError: false }),
  message('toolResult', {
    toolCallId: 'c1',
    toolName: 'task',
    content: [words],
    details: {
      results: [
        { id: 'Missing', agent: 'task', description: 'a task', exitCode: 1, error: 'a failure', durationMs: 5, usage },
      ],
      totalDurationMs: 5,
    },
    isError: false,
  }),
  message('bashExecution', {
    command: 'ls',
    output: 'a\nb',
    exitCode: 1,
    cancelled: false,
    truncated: true,
    artifactId: 'x',
    fullOutputPath: '/a/b',
  }),
  message('custom', { customType: 'note', content: [words, image], display: true, details: { a: 'b' } }),
  message('hookMessage', { customType: 'note', content: 'words', display: true }),
  message('compactionSummary', { summary: 'what was', tokensBefore: 10 }),
  message('branchSummary', { summary: 'what was', fromId: 'root' }),
  message('unknownRole', { content: 'a message with an unknown role' }),
  { type: 'thinking_level_change', thinkingLevel: 'high' },
  { type: 'model_change', provider: 'acme', modelId: 'one' },
  { type: 'compaction', summary: 'what was', firstKeptEntryId: 'x', tokensBefore: 9, details: { readFiles: ['a'] } },
  { type: 'branch_summary', fromId: 'root', summary: 'what was', details: { readFiles: ['a'] } },
  { type: 'custom', customType: 'other', data: { a: 'b' } },
  { type: 'custom_message', customType: 'other', content: [words, image], display: true, details: { a: 'b' } },
  { type: 'label', targetId: 'k0', label: 'here' },
  { type: 'session_info', name: 'a name' },
  { type: 'ttsr_injection', injectedRules: ['a'] },
  { type: 'session_init', systemPrompt: 'p', task: 't', tools: ['a'] },
];

/** Puts each payload in every text and number of every entry type, one at a time, and into field names. */
export function hostileSession(payloads: readonly string[]): ExportedSession {
  const bodies = payloads.flatMap((payload, at) => [
    ...KINDS.flatMap((kind) => hostileKinds(kind, payload)),
    createTaskResult(`Sub${at}`),
  ]);
  let parentId: string | null = null;
  const entries = bodies.map((body, at) => {
    // Some branches, because the outline and the branch selector show texts of other branches.
    const entry = { id: `k${at}`, parentId: at % 40 === 39 ? 'k0' : parentId, timestamp: STAMP, ...body };
    parentId = String(entry.id);
    return entry as unknown as SessionEntry;
  });
  const all = payloads.join(' ');
  const header = { type: 'session', version: 3, id: all, timestamp: all, cwd: all, parentSession: all, title: all };
  const leafId = entries.at(-1)?.id ?? null;
  return {
    ...{ header: header as SessionHeader, entries, leafId, name: all },
    subagentFiles: createHostileFiles(payloads),
    prefix: { systemPrompt: all, tools: payloads.map(createHostileTool) },
  };
}

const createTaskResult = (id: string): Raw =>
  message('toolResult', {
    toolCallId: 'c1',
    toolName: 'task',
    content: [words],
    details: { results: [{ id, agent: 'task', exitCode: 0 }] },
    isError: false,
  });

/** The session file `SubN.jsonl` has the payload number N in every field. Its last task is not in its folder. */
function createHostileFiles(payloads: readonly string[]): ExportedSession['subagentFiles'] {
  return {
    sessionFile: '/s.jsonl',
    files: {
      info: async (path) =>
        /^\/s\/Sub\d+\.jsonl$/.test(path) ? { kind: 'file', size: 1, modifiedMs: 0, mode: 0o600 } : undefined,
      realPath: async (path) => path,
    },
    async read(path) {
      const payload = payloads[Number(/\d+/.exec(path)?.[0])] ?? '';
      const bodies = [...KINDS.flatMap((kind) => hostileKinds(kind, payload)), createTaskResult('Other')];
      const entries = bodies.map((body, at) => ({
        id: `s${at}`,
        parentId: at ? `s${at - 1}` : null,
        timestamp: STAMP,
        ...body,
      }));
      const header = { type: 'session' as const, version: 3, id: payload, timestamp: payload, cwd: payload };
      return {
        header,
        entries: entries as unknown as SessionEntry[],
        leafId: entries.at(-1)?.id ?? null,
        name: payload,
      };
    },
  };
}

function createHostileTool(payload: string) {
  const field = { type: payload, description: payload, enum: [payload] };
  return { name: payload, description: payload, parameters: { properties: { [payload]: field }, required: [payload] } };
}

function hostileKinds(kind: Raw, payload: string): Raw[] {
  const paths = findPaths({ ...kind, id: 'k', parentId: null, timestamp: STAMP });
  return [kind, ...paths.map((path) => withPayload(kind, path, payload)), withHostileKeys(kind, payload)];
}

const STAMP = '2026-01-02T03:04:05.000Z';

type Path = readonly (string | number)[];

/** The paths of all texts and numbers. */
function findPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value as Raw).flatMap(([key, inner]) =>
    findPaths(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function withPayload(value: unknown, path: Path, payload: string): Raw {
  const [key, ...rest] = path;
  if (key === undefined) return payload as unknown as Raw;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Raw) }) as Raw;
  copy[key] = withPayload((value as Raw)[key], rest, payload);
  return copy;
}

function withHostileKeys(kind: Raw, payload: string): Raw {
  const evil = { [payload]: payload, diff: payload };
  const inner = kind.message as Raw | undefined;
  if (!inner) return { ...kind, details: evil, data: evil };
  const call = { type: 'toolCall', id: payload, name: payload, arguments: evil };
  const isAnswer = inner.role === 'assistant';
  return { ...kind, message: { ...inner, details: evil, ...(isAnswer ? { content: [call] } : {}) } };
}
