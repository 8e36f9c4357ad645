// One story in every dialect: what the host says and hears is spelled differently, what happens is the same.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { isRecord } from '../../src/base/index.ts';
import { dialectNamed } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { openMany, openOne } from '../../src/testing/scenario-house.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

interface Frame extends Record<string, unknown> {
  type?: unknown;
}

/** How a host says the three things of the story, and how it knows that each is over. A further dialect is one more row. */
interface Telling {
  /** What must be said before anything else. */
  open?: { call: Frame; isOpen(frame: Frame): boolean };
  prompt(message: string): Frame;
  compact(): Frame;
  isOver(frame: Frame): boolean;
  isCompacted(frame: Frame): boolean;
  /** What was said and done, whatever the frames around it. */
  words(frames: readonly Frame[]): string[];
}

const family: Omit<Telling, 'isOver' | 'isCompacted'> = {
  prompt: (message) => ({ type: 'prompt', message }),
  compact: () => ({ type: 'compact' }),
  words: (frames) => frames.flatMap(wordsIn),
};
const answered = (frame: Frame) => frame.type === 'response' && frame.command === 'compact';
const settled = (frame: Frame) => frame.type === 'agent_settled';
const call = (id: number, method: string, params: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { session_id: 'story', ...params },
});

const TELLINGS: Readonly<Record<string, Telling>> = {
  omp: { ...family, isOver: settled, isCompacted: answered },
  pi: { ...family, isOver: settled, isCompacted: answered },
  'pi-legacy': {
    ...family,
    isOver: ({ type }) => type === 'agent_end',
    isCompacted: ({ type }) => type === 'compaction',
  },
  opal: {
    open: { call: call(1, 'session/start', {}), isOpen: ({ id }) => id === 1 },
    prompt: (text) => call(2, 'agent/prompt', { text }),
    compact: () => call(3, 'session/compact', {}),
    isOver: ({ params }) => isRecord(params) && params.type === 'agent_end',
    isCompacted: ({ id, result }) => id === 3 && result !== undefined,
    words: opalWords,
  },
};

interface Outcome {
  /** The log, without what says when and where. */
  log: unknown[];
  /** What the model was asked. */
  requests: unknown[];
  file: string;
  /** What the host heard said, and what the tools did. */
  heard: string[];
}

test.each(Object.entries(TELLINGS))('%s tells it as omp does, and as it was written', async (name, telling) => {
  const outcome = await tell(name, telling);
  expect(outcome).toEqual(await tell('omp', TELLINGS.omp as Telling));
  expect(outcome.file).toBe('two\n');
  expect(outcome.requests).toHaveLength(5);
  expect(outcome.log.map((entry) => (isRecord(entry) ? entry.type : ''))).toContain('compaction');
  expect(outcome.heard).toEqual([
    'I look.',
    'read: one\n',
    'And change it.',
    expect.stringMatching(/^edit: /),
    'teleport failed: Tool teleport not found',
    'Done.',
    'You asked me to change a file, and I did.',
  ]);
});

async function tell(name: string, telling: Telling): Promise<Outcome> {
  const directory = temporaryDirectory();
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
  const dialect = await dialectNamed(name);
  const options = {
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: {},
    settings: { ...defaultSettings, 'compaction.keepRecentTokens': 15 },
    ports,
    models,
  };
  const house = dialect.manySessions ? openMany(options) : await openOne(options, 'said');
  const { transport, host } = createMemoryTransport();
  const codec = dialect.codec({ version: '0', stream: 'full' });
  const served = serve({ transport, codec, commands: house.commands, hub: house.hub, ports, onEof: 'finish' });
  const frames: Frame[] = [];
  const say = async (frame: Frame, isOver: (frame: Frame) => boolean) => {
    host.send(JSON.stringify(frame));
    for (;;) {
      const got = JSON.parse(await host.next()) as Frame;
      frames.push(got);
      if (isOver(got)) return;
    }
  };
  if (telling.open) await say(telling.open.call, telling.open.isOpen);
  await say(telling.prompt('Put two in the place of one in a.txt'), telling.isOver);
  await say(telling.prompt('What did I ask for?'), telling.isOver);
  await say(telling.compact(), telling.isCompacted);
  const log = (await readFile(house.session?.file ?? '', 'utf8')).trimEnd().split('\n');
  host.end();
  await served;
  await house.close();
  transport.close();
  return {
    log: log.slice(1).map((line) => JSON.parse(line)),
    requests: models.requests.map(({ messages, tools }) => ({ messages, tools: tools.map((tool) => tool.name) })),
    file: await readFile(path, 'utf8'),
    heard: telling.words(frames),
  };
}

/** Answers come in pieces, and are over when a turn or the run is. */
function opalWords(frames: readonly Frame[]): string[] {
  let answer = '';
  return frames.flatMap(({ params }) => {
    if (!isRecord(params)) return [];
    const { type, delta, tool, result } = params;
    if (type === 'message_delta') answer += delta;
    if (type === 'tool_execution_end' && isRecord(result)) {
      return [`${tool}${result.ok ? '' : ' failed'}: ${result.output ?? result.error}`];
    }
    if (type !== 'turn_end' && type !== 'agent_end') return [];
    const whole = answer;
    answer = '';
    return [whole];
  });
}

function wordsIn(frame: Frame): string[] {
  if (frame.type === 'tool_execution_end') {
    const { result, toolName, isError } = frame;
    const text = typeof result === 'string' ? result : textIn(result);
    return [`${toolName}${isError ? ' failed' : ''}: ${text}`];
  }
  const { message } = frame;
  return frame.type === 'message_end' && isRecord(message) && message.role === 'assistant' ? [textIn(message)] : [];
}

function textIn(value: unknown): string {
  const { content } = value as { content: { type: string; text?: string }[] };
  return content.map(({ text = '' }) => text).join('');
}
