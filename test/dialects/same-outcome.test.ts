// Runs the same conversation in every dialect. The frames differ, but the outcome is the same.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { isRecord } from '../../src/base/index.ts';
import { loadDialect } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { createMultiSessionAgent, createSingleSessionAgent } from '../../src/testing/scenario-agent.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

interface Frame extends Record<string, unknown> {
  type?: unknown;
}

/** How a host sends the three requests of the conversation, and how it detects that each one is complete. */
interface DialectDriver {
  /** Requests that must be sent first. */
  open?: { call(cwd: string): Frame; isReply(frame: Frame): boolean }[];
  prompt(message: string, sessionId: string): Frame;
  compact(sessionId: string): Frame;
  isOver(frame: Frame): boolean;
  isCompacted(frame: Frame): boolean;
  /** Texts and tool results, without their frames. */
  extractTexts(frames: readonly Frame[]): string[];
}

const responseDialects: Omit<DialectDriver, 'isOver' | 'isCompacted'> = {
  prompt: (message) => ({ type: 'prompt', message }),
  compact: () => ({ type: 'compact' }),
  extractTexts: (frames) => frames.flatMap(extractFrameTexts),
};
const isCompactReply = (frame: Frame) => frame.type === 'response' && frame.command === 'compact';
const isSettled = (frame: Frame) => frame.type === 'agent_settled';
const call = (id: number, method: string, params: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { session_id: 'story', ...params },
});

const request = (id: number, method: string, params: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

const DRIVERS: Readonly<Record<string, DialectDriver>> = {
  omp: { ...responseDialects, isOver: isSettled, isCompacted: isCompactReply },
  pi: { ...responseDialects, isOver: isSettled, isCompacted: isCompactReply },
  'pi-legacy': {
    ...responseDialects,
    isOver: ({ type }) => type === 'agent_end',
    isCompacted: ({ type }) => type === 'compaction',
  },
  opal: {
    open: [{ call: () => call(1, 'session/start', {}), isReply: ({ id }) => id === 1 }],
    prompt: (text) => call(2, 'agent/prompt', { text }),
    compact: () => call(3, 'session/compact', {}),
    isOver: ({ params }) => isRecord(params) && params.type === 'agent_end',
    isCompacted: ({ id, result }) => id === 3 && result !== undefined,
    extractTexts: extractOpalTexts,
  },
  acp: {
    open: [
      { call: () => request(1, 'initialize', { protocolVersion: 1 }), isReply: ({ id }) => id === 1 },
      { call: (cwd) => request(2, 'session/new', { cwd, mcpServers: [] }), isReply: ({ id }) => id === 2 },
    ],
    prompt: (text, sessionId) => request(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    compact: (sessionId) => request(4, '_parley/compact', { sessionId }),
    isOver: ({ id }) => id === 3,
    isCompacted: ({ id }) => id === 4,
    extractTexts: extractAcpTexts,
  },
};

interface Outcome {
  /** The log without its header. */
  log: unknown[];
  /** The requests to the model. */
  requests: unknown[];
  file: string;
  /** The texts and tool results that the host received. */
  receivedTexts: string[];
}

test.each(Object.entries(DRIVERS))('%s has the same outcome as omp, and the expected texts', async (name, driver) => {
  const outcome = await runConversation(name, driver);
  expect(outcome).toEqual(await runConversation('omp', DRIVERS.omp as DialectDriver));
  expect(outcome.file).toBe('two\n');
  expect(outcome.requests).toHaveLength(5);
  expect(outcome.log.map((entry) => (isRecord(entry) ? entry.type : ''))).toContain('compaction');
  expect(outcome.receivedTexts).toEqual([
    'I look.',
    'read: one\n',
    'And change it.',
    expect.stringMatching(/^edit: /),
    'teleport failed: Tool teleport not found',
    'Done.',
    'You asked me to change a file, and I did.',
  ]);
});

async function runConversation(name: string, driver: DialectDriver): Promise<Outcome> {
  const directory = createTemporaryDirectory();
  await mkdir(join(directory, 'work'), { recursive: true });
  const path = join(directory, 'work', 'a.txt');
  await writeFile(path, 'one\n');
  const clock = createFakeClock();
  const ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels(
    [
      { text: 'I look.', calls: [{ id: 'c1', name: 'read', arguments: { path: 'a.txt' } }] },
      {
        text: 'And change it.',
        calls: [
          { id: 'c2', name: 'edit', arguments: { path: 'a.txt', oldText: 'one', newText: 'two' } },
          { id: 'c3', name: 'teleport', arguments: {} },
        ],
      },
      { text: 'Done.' },
      { text: 'You asked me to change a file, and I did.' },
      { text: 'A summary of it all' },
    ],
    { now: () => clock.now() },
  );
  const dialect = await loadDialect(name);
  const options = {
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: {},
    settings: { ...defaultSettings, 'compaction.keepRecentTokens': 15 },
    ports,
    models,
  };
  const agent = dialect.isMultiSession
    ? createMultiSessionAgent(options)
    : await createSingleSessionAgent(options, 'flag');
  const { transport, host } = createMemoryTransport();
  const codec = dialect.createCodec({ version: '0', stream: 'full' });
  const served = serve({ transport, codec, commands: agent.commands, hub: agent.hub, ports, onEof: 'finish' });
  const frames: Frame[] = [];
  const sendAndWait = async (frame: Frame, isOver: (frame: Frame) => boolean) => {
    host.send(JSON.stringify(frame));
    for (;;) {
      const received = JSON.parse(await host.next()) as Frame;
      frames.push(received);
      if (isOver(received)) return;
    }
  };
  for (const { call: createCall, isReply } of driver.open ?? []) await sendAndWait(createCall(options.cwd), isReply);
  const sessionId = agent.session?.id ?? '';
  await sendAndWait(driver.prompt('Put two in the place of one in a.txt', sessionId), driver.isOver);
  await sendAndWait(driver.prompt('What did I ask for?', sessionId), driver.isOver);
  await sendAndWait(driver.compact(sessionId), driver.isCompacted);
  const log = (await readFile(agent.session?.file ?? '', 'utf8')).trimEnd().split('\n');
  host.end();
  await served;
  await agent.close();
  transport.close();
  return {
    log: log.slice(1).map((line) => JSON.parse(line)),
    requests: models.requests.map(({ messages, tools }) => ({ messages, tools: tools.map((tool) => tool.name) })),
    file: await readFile(path, 'utf8'),
    receivedTexts: driver.extractTexts(frames),
  };
}

/** Assistant text arrives in deltas and is complete at turn_end or agent_end. */
function extractOpalTexts(frames: readonly Frame[]): string[] {
  let answer = '';
  return frames.flatMap(({ params }) => {
    if (!isRecord(params)) return [];
    const { type, delta, tool, result } = params;
    if (type === 'message_delta') answer += delta;
    if (type === 'tool_execution_end' && isRecord(result)) {
      return [`${tool}${result.ok ? '' : ' failed'}: ${result.output ?? result.error}`];
    }
    if (type !== 'turn_end' && type !== 'agent_end') return [];
    const text = answer;
    answer = '';
    return [text];
  });
}

/** Chunks of one message have the same id. The text of a result is `rawOutput.text`. */
function extractAcpTexts(frames: readonly Frame[]): string[] {
  const names = new Map<unknown, unknown>();
  const texts: string[] = [];
  let lastId: unknown;
  for (const { method, params } of frames) {
    if (method !== 'session/update' || !isRecord(params) || !isRecord(params.update)) continue;
    const { sessionUpdate, messageId, content, toolCallId, name, status, rawOutput } = params.update;
    if (name !== undefined) names.set(toolCallId, name);
    if (sessionUpdate === 'agent_message_chunk' && isRecord(content)) {
      if (messageId === lastId) texts.push(`${texts.pop()}${content.text}`);
      else texts.push(String(content.text));
      lastId = messageId;
    }
    if ((status === 'completed' || status === 'failed') && isRecord(rawOutput)) {
      texts.push(`${names.get(toolCallId)}${status === 'failed' ? ' failed' : ''}: ${rawOutput.text}`);
    }
  }
  return texts;
}

function extractFrameTexts(frame: Frame): string[] {
  if (frame.type === 'tool_execution_end') {
    const { result, toolName, isError } = frame;
    const text = typeof result === 'string' ? result : joinText(result);
    return [`${toolName}${isError ? ' failed' : ''}: ${text}`];
  }
  const { message } = frame;
  return frame.type === 'message_end' && isRecord(message) && message.role === 'assistant' ? [joinText(message)] : [];
}

function joinText(value: unknown): string {
  const { content } = value as { content: { type: string; text?: string }[] };
  return content.map(({ text = '' }) => text).join('');
}
