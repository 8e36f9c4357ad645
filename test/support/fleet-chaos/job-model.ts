// A model for jobs: the answer follows from the conversation alone, so it does not matter which node asks, or how often.
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { framesOf } from '../../llm/servers/openai-completions-frames.ts';
import { startHttpServer } from '../http-server.ts';

/** What the prompt of a job says. */
export interface Job {
  /** `NAME.ATTEMPT`: a prompt that was not acknowledged is sent again with another number. */
  readonly name: string;
  /** Tool calls that append a line to the file of effects. */
  readonly steps: number;
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

const PROMPT = /job (\S+) with (\d+) steps/;

export function toPrompt({ name, steps }: Job): string {
  return `job ${name} with ${steps} steps`;
}

export function toAnswer(name: string): string {
  return `finished ${name}`;
}

export interface JobModelOptions {
  /** Gets one line for each tool call that ran: the name of the job, the step, and a number that no other call has. */
  readonly effectsFile: string;
  /** The next step of a job is asked for, perhaps again. The name is that of the planned job. */
  onStep(name: string, step: number): void;
}

export async function startJobModel({ effectsFile, onStep }: JobModelOptions): Promise<{ readonly url: string }> {
  let calls = 0;
  const { url } = await startHttpServer(async (request, response) => {
    const { messages } = await readBody(request);
    const at = messages.findLastIndex(({ role, content }) => role === 'user' && PROMPT.test(JSON.stringify(content)));
    const [, name = '', steps = '0'] = PROMPT.exec(JSON.stringify(messages[at]?.content ?? '')) ?? [];
    const done = messages.slice(at).filter(({ role }) => role === 'tool').length;
    onStep(name.replace(/\.\d+$/, ''), done);
    calls += 1;
    const command = `echo '${name} ${done} ${calls}' >> '${effectsFile}'; sleep 0.${calls % 4}`;
    const call = { id: `call_${calls}`, name: 'bash', pieces: [JSON.stringify({ command })] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(framesOf(done < Number(steps) ? { calls: [call] } : { text: ['finished ', name] }).join(''));
  });
  return { url };
}

async function readBody(request: IncomingMessage): Promise<{ messages: readonly ChatMessage[] }> {
  return (await json(request)) as { messages: readonly ChatMessage[] };
}
