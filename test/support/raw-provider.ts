// A loopback model provider whose answers a test writes as bytes, and the models.json for it.
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { chatFrame, startHttpServer } from './http-server.ts';
import { createDirectories, type ProgramDirectories } from './program.ts';

export type RespondFunction = (response: ServerResponse, body: Record<string, unknown>) => void;

export interface RawProvider {
  readonly url: string;
  /** The JSON bodies of all requests, in order. */
  readonly requests: Record<string, unknown>[];
}

/** The nth function answers the nth request. The last one answers all further requests. */
export async function startRawProvider(...answers: readonly RespondFunction[]): Promise<RawProvider> {
  const requests: Record<string, unknown>[] = [];
  const { url } = await startHttpServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>;
    requests.push(body);
    response.on('error', () => {});
    answers[Math.min(requests.length, answers.length) - 1]?.(response, body);
  });
  return { url, requests };
}

/** Directories in which `--provider raw` selects this provider. */
export function createDirectoriesFor(
  url: string,
  api: string,
  settings: object = {},
  model: object = {},
): ProgramDirectories {
  const directories = createDirectories();
  const models = [{ id: 'm', input: ['text', 'image'], ...model }];
  const providers = { raw: { baseUrl: url, api, apiKey: 'RAW_KEY', models } };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers }));
  writeFileSync(join(directories.home, 'settings.json'), JSON.stringify(settings));
  return directories;
}

export const RAW_ENV = { RAW_KEY: 'raw-key-of-the-test' };

export function startEventStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

/** One answer of Chat Completions. */
export function createChatAnswer(delta: object, finish = 'stop'): RespondFunction {
  return (response) => {
    startEventStream(response);
    response.end(`${chatFrame({ delta })}${chatFrame({ delta: {}, finish_reason: finish })}data: [DONE]\n\n`);
  };
}
