// A loopback provider for Chat Completions whose answers stop at gates until the test opens them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createDeferred } from '../../src/base/index.ts';
import { chunk, DONE, USAGE, usageChunk } from '../llm/servers/openai-completions-frames.ts';
import { startHttpServer } from './http-server.ts';
import { createDirectories, type ProgramDirectories } from './program.ts';

/** Sent one after another: a text, a tool call, or a gate that is waited for. */
export type AnswerPart =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly arguments: object } }
  | { readonly gate: Gate };

export interface Gate {
  /** Resolves when the answer has reached the gate. */
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  reach(): void;
  open(): void;
}

export function createGate(): Gate {
  const reached = createDeferred();
  const opened = createDeferred();
  return {
    ...{ reached: reached.promise, opened: opened.promise },
    reach: () => reached.resolve(),
    open: () => opened.resolve(),
  };
}

export interface GatedProvider {
  readonly directories: ProgramDirectories;
  readonly flags: readonly string[];
}

/** Requests beyond the list are answered with `Done.` */
export async function startGatedProvider(answers: readonly (readonly AnswerPart[])[]): Promise<GatedProvider> {
  let count = 0;
  const { url } = await startHttpServer(async (request, response) => {
    await json(request);
    const parts = answers[count] ?? [{ text: 'Done.' }];
    count += 1;
    response.on('error', () => {});
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    for (const part of parts) {
      if ('gate' in part) {
        part.gate.reach();
        await part.gate.opened;
      } else response.write(encodePart(part));
    }
    const hasCalls = parts.some((part) => 'call' in part);
    response.end(`${chunk({}, hasCalls ? 'tool_calls' : 'stop')}${usageChunk(USAGE)}${DONE}`);
  });
  const directories = createDirectories();
  const own = {
    ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none' },
    models: [{ id: 'm', reasoning: true }],
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  return { directories, flags: ['--provider', 'own', '--model', 'm'] };
}

function encodePart(part: Exclude<AnswerPart, { gate: Gate }>): string {
  if ('text' in part) return chunk({ content: part.text });
  if ('thinking' in part) return chunk({ content: null, reasoning_content: part.thinking });
  const { id, name, arguments: args } = part.call;
  return chunk({
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });
}
