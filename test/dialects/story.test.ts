// One story in every dialect: what the host says and hears is spelled differently, what happens is the same.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgent } from '../../src/app/compose.ts';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { isRecord } from '../../src/base/index.ts';
import { commandsByName } from '../../src/commands/index.ts';
import { dialectNamed } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

interface Frame extends Record<string, unknown> {
  type?: unknown;
}

/** How a host says the three things of the story, and how it knows that each is over. A further dialect is one more row. */
interface Telling {
  prompt(message: string): Frame;
  compact(): Frame;
  isOver(frame: Frame): boolean;
  isCompacted(frame: Frame): boolean;
}

const family: Omit<Telling, 'isOver' | 'isCompacted'> = {
  prompt: (message) => ({ type: 'prompt', message }),
  compact: () => ({ type: 'compact' }),
};
const answered = (frame: Frame) => frame.type === 'response' && frame.command === 'compact';
const settled = (frame: Frame) => frame.type === 'agent_settled';

const TELLINGS: Readonly<Record<string, Telling>> = {
  omp: { ...family, isOver: settled, isCompacted: answered },
  pi: { ...family, isOver: settled, isCompacted: answered },
  'pi-legacy': {
    ...family,
    isOver: ({ type }) => type === 'agent_end',
    isCompacted: ({ type }) => type === 'compaction',
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
  const agent = await createAgent({
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    settings: { ...defaultSettings, 'compaction.keepRecentTokens': 15 },
    ports,
    models,
  });
  const { transport, host } = createMemoryTransport();
  const codec = dialect.codec({ version: '0', stream: 'full' });
  const served = serve({ transport, codec, commands: commandsByName, hub: agent.hub, ports, onEof: 'finish' });
  const frames: Frame[] = [];
  const say = async (frame: Frame, isOver: (frame: Frame) => boolean) => {
    host.send(JSON.stringify(frame));
    for (;;) {
      const got = JSON.parse(await host.next()) as Frame;
      frames.push(got);
      if (isOver(got)) return;
    }
  };
  await say(telling.prompt('Put two in the place of one in a.txt'), telling.isOver);
  await say(telling.prompt('What did I ask for?'), telling.isOver);
  await say(telling.compact(), telling.isCompacted);
  const log = (await readFile(agent.session.file ?? '', 'utf8')).trimEnd().split('\n');
  host.end();
  await served;
  await agent.close();
  transport.close();
  return {
    log: log.slice(1).map((line) => JSON.parse(line)),
    requests: models.requests.map(({ messages, tools }) => ({ messages, tools: tools.map((tool) => tool.name) })),
    file: await readFile(path, 'utf8'),
    heard: frames.flatMap(wordsIn),
  };
}

/** What was said and done, whatever the frame around it. */
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
