// A model for jobs: the answer follows from the conversation alone, so it does not matter which node asks, or how often.
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { framesOf } from '../../llm/servers/openai-completions-frames.ts';
import { startHttpServer } from '../http-server.ts';

/** What the prompt of a job says. */
export interface Job {
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

/** `effectsFile` gets one line for each tool call that ran: the name of the job, the step, and a number that no other call has. */
export async function startJobModel(effectsFile: string): Promise<{ readonly url: string }> {
  let calls = 0;
  const { url } = await startHttpServer(async (request, response) => {
    const { messages } = await readBody(request);
    const at = messages.findLastIndex(({ role, content }) => role === 'user' && PROMPT.test(JSON.stringify(content)));
    const [, name = '', steps = '0'] = PROMPT.exec(JSON.stringify(messages[at]?.content ?? '')) ?? [];
    const done = messages.slice(at).filter(({ role }) => role === 'tool').length;
    calls += 1;
    const command = `echo '${name} ${done} ${calls}' >> '${effectsFile}'; sleep 0.0${calls % 10}`;
    const call = { id: `call_${calls}`, name: 'bash', pieces: [JSON.stringify({ command })] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(framesOf(done < Number(steps) ? { calls: [call] } : { text: ['finished ', name] }).join(''));
  });
  return { url };
}

async function readBody(request: IncomingMessage): Promise<{ messages: readonly ChatMessage[] }> {
  return (await json(request)) as { messages: readonly ChatMessage[] };
}
