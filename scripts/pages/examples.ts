// Documents: the frames that the pages show, recorded from a real conversation. Knows what to say, not how it is shown.
import type { Command } from '../../src/contracts/index.ts';
import { allCommands } from './frames.ts';
import { type Frame, play } from './stage.ts';

/** A frame that a host sends, and what it is answered. */
export interface Exchange {
  readonly request: Frame;
  /** Absent when the little agent of the examples cannot do it. */
  readonly response?: Frame | undefined;
}

const OPENING = { id: 'opening', type: 'prompt', message: 'Hello!' };
const GREETING = { text: 'Hello! What shall we do?' };

/** Every example of every command, by its name. Commands without parameters are their own example. */
export async function commandExamples(): Promise<ReadonlyMap<string, readonly Exchange[]>> {
  return new Map(
    await Promise.all(
      allCommands.map(async (command) => {
        const exchanges = requestsOf(command).map((request, index) =>
          exchangeOf({ id: `req_${index + 1}`, ...request }),
        );
        return [command.name, await Promise.all(exchanges)] as const;
      }),
    ),
  );
}

function requestsOf({ name, examples = [{}] }: Command): Frame[] {
  return examples.map((params) => ({ type: name, ...params }));
}

async function exchangeOf(request: Frame): Promise<Exchange> {
  const frames = await play([OPENING, request], [GREETING, { text: 'Done.' }]);
  const response = frames.find((frame) => frame.type === 'response' && frame.id === request.id);
  return { request, response: response?.success === true ? response : undefined };
}

/** The first frame of each type from a run with thinking, text and a tool; updates also as `--stream delta` sends them. */
export async function eventExamples(): Promise<ReadonlyMap<string, readonly Frame[]>> {
  const lines = [{ id: 'req_1', type: 'prompt', message: 'How long is README.md?' }];
  const script = [
    {
      thinking: 'Count it.',
      text: 'Let me see.',
      calls: [{ id: 'call_1', name: 'count', arguments: { input: 'README.md' } }],
    },
    { text: '42 lines.' },
  ];
  const examples = new Map<string, Frame[]>();
  for (const stream of ['full', 'delta'] as const) {
    for (const frame of await play(lines, script, stream)) {
      if (isUpdate(frame)) take(examples, frame, stream === 'full' ? 1 : 2);
      else if (frame.type !== 'message_update') take(examples, frame, 1);
    }
  }
  return examples;
}

function isUpdate(frame: Frame): boolean {
  return (frame.assistantMessageEvent as { type?: string } | undefined)?.type === 'text_delta';
}

function take(examples: Map<string, Frame[]>, frame: Frame, most: number): void {
  const kept = examples.get(String(frame.type)) ?? [];
  if (kept.length < most) examples.set(String(frame.type), [...kept, frame]);
}
