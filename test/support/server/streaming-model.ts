// A loopback model that streams as many deltas as a prompt asks for: thinking, text and tool calls.
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { chunk, DONE, USAGE, usageChunk } from '../../llm/servers/openai-completions-frames.ts';
import { startHttpServer } from '../http-server.ts';
import { createDirectories, type ProgramDirectories } from '../program.ts';

/** The numbers of deltas and calls of an answer. A prompt contains them as JSON. */
export interface AnswerPlan {
  readonly name: string;
  readonly thinking?: number;
  readonly text?: number;
  readonly calls?: number | undefined;
  /** The first answer stops after its deltas, until the connection is closed. */
  readonly isEndless?: boolean;
}

export interface StreamingModel {
  /** Directories in which the program finds this model. */
  readonly directories: ProgramDirectories;
  readonly flags: readonly string[];
  readonly requestCount: number;
}

/** Deltas that are sent before other work of the process runs. */
const DELTAS_PER_WRITE = 12;
/** Each line of output is an update of the tool. */
const COMMAND = 'for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.012; done';
/** Texts that are difficult to split, to escape and to join. */
const PIECES = [
  'word ',
  '"quoted" ',
  'a\\b ',
  'line\n',
  'é',
  '日本 ',
  '👍🏽',
  '\u2028',
  '</script> ',
  '\t',
  '{"seq":1} ',
  'data: x\n\n',
];

export async function startStreamingModel(): Promise<StreamingModel> {
  let requestCount = 0;
  const stoppedPlans = new Set<string>();
  const { url } = await startHttpServer(async (request, response) => {
    requestCount += 1;
    const { messages } = (await json(request)) as { messages: readonly ModelMessage[] };
    response.on('error', () => {});
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const plan = readPlan(messages);
    const isEndless = plan.isEndless === true && !stoppedPlans.has(plan.name);
    if (isEndless) stoppedPlans.add(plan.name);
    const calls = messages.at(-1)?.role === 'tool' ? 0 : plan.calls;
    await sendAnswer(response, { ...plan, calls, isEndless }, requestCount);
  });
  const directories = createDirectories();
  const own = {
    ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none' },
    models: [{ id: 'm', reasoning: true, contextWindow: 10_000_000, maxTokens: 100_000 }],
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  return {
    directories,
    flags: ['--provider', 'own', '--model', 'm', '--yolo'],
    get requestCount() {
      return requestCount;
    },
  };
}

interface ModelMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

/** The plan of the last user message. Other requests, such as those for a summary, get a short answer. */
function readPlan(messages: readonly ModelMessage[]): AnswerPlan {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const text = typeof content === 'string' ? content : content.map(({ text: part = '' }) => part).join('');
  const [plan] = /^\{"name":.*\}$/m.exec(text) ?? [];
  return plan === undefined ? { name: 'short', text: 3 } : (JSON.parse(plan) as AnswerPlan);
}

async function sendAnswer(response: ServerResponse, plan: AnswerPlan, request: number): Promise<void> {
  let waiting = '';
  let count = 0;
  for (const frame of createFrames(plan, request)) {
    waiting += frame;
    count += 1;
    if (count % DELTAS_PER_WRITE !== 0) continue;
    if (response.destroyed) return;
    const hasSpace = response.write(waiting);
    waiting = '';
    if (hasSpace) await setImmediate();
    else await waitForDrain(response);
  }
  if (plan.isEndless) response.write(waiting);
  else response.end(`${waiting}${DONE}`);
}

function* createFrames({ name, thinking = 0, text = 0, calls = 0, isEndless }: AnswerPlan, request: number) {
  yield chunk({ role: 'assistant', content: '' });
  for (let n = 0; n < thinking; n++) yield chunk({ content: null, reasoning_content: createPiece(name, n) });
  for (let n = 0; n < text; n++) yield chunk({ content: createPiece(name, n) });
  for (let index = 0; index < calls; index++) {
    const id = `call_${request}_${index}`;
    const [head, tail] = ['{"command":', `${JSON.stringify(COMMAND)}}`];
    yield chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'bash', arguments: head } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: tail } }] });
  }
  if (isEndless) return;
  yield chunk({}, calls > 0 ? 'tool_calls' : 'stop');
  yield usageChunk(USAGE);
}

function createPiece(name: string, n: number): string {
  return `${name}.${n}${PIECES[n % PIECES.length]}`;
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
