// Records the example frames of the documents from conversations with a scripted agent.
import type { Command } from '../../src/contracts/index.ts';
import { allCommands } from './frames.ts';
import { type Frame, runExample } from './run-example.ts';

/** A command frame and its response. */
export interface Exchange {
  readonly request: Frame;
  /** Absent if the agent of the examples does not support the command. */
  readonly response?: Frame | undefined;
}

const FIRST_PROMPT = { id: 'opening', type: 'prompt', message: 'Hello!' };
const FIRST_ANSWER = { text: 'Hello! What shall we do?' };

/** The examples of all commands by name. A command without examples is sent without parameters. */
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
  const frames = await runExample([FIRST_PROMPT, request], [FIRST_ANSWER, { text: 'Done.' }]);
  const response = frames.find((frame) => frame.type === 'response' && frame.id === request.id);
  return { request, response: response?.success === true ? response : undefined };
}

/** The first frame of each type in a run with thinking, text and a tool call; updates also in the format of `--stream delta`. */
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
    for (const frame of await runExample(lines, script, stream)) {
      if (isUpdate(frame)) addExample(examples, frame, stream === 'full' ? 1 : 2);
      else if (frame.type !== 'message_update') addExample(examples, frame, 1);
    }
  }
  return examples;
}

function isUpdate(frame: Frame): boolean {
  return (frame.assistantMessageEvent as { type?: string } | undefined)?.type === 'text_delta';
}

function addExample(examples: Map<string, Frame[]>, frame: Frame, limit: number): void {
  const recorded = examples.get(String(frame.type)) ?? [];
  if (recorded.length < limit) examples.set(String(frame.type), [...recorded, frame]);
}
