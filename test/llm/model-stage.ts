// For tests of which models there are: real files in a directory of their own, an environment of their own, and APIs that only listen.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { ApiRequest, ModelApi, ModelRequest, Ports } from '../../src/contracts/index.ts';
import type { ApiLoader } from '../../src/llm/index.ts';
import { createModels, type ModelsOptions } from '../../src/llm/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { OFFLINE_API } from '../../src/llm/offline/model.ts';
import { PROVIDERS } from '../../src/llm/providers/providers.ts';
import type { Model } from '../../src/protocol/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

export interface StageOptions extends Partial<Omit<ModelsOptions, 'ports' | 'directory' | 'apis'>> {
  files?: Readonly<Record<string, unknown>>;
  ports?: Partial<Ports>;
  apis?: ModelsOptions['apis'];
}

export interface ModelStage {
  readonly models: ReturnType<typeof createModels>;
  readonly directory: string;
  /** Every request that reached an API. */
  readonly requests: readonly ApiRequest[];
  readonly warnings: readonly string[];
  readonly redacted: readonly string[];
  readonly withheld: readonly string[];
  /** Paths that were looked at or read, in order, without the directory. */
  readonly touched: readonly string[];
  write(name: string, content: unknown, mode?: number): void;
}

export function modelStage(options: StageOptions = {}): ModelStage {
  const { files: given = {}, ports: replaced, apis, ...rest } = options;
  const directory = temporaryDirectory();
  const requests: ApiRequest[] = [];
  const [warnings, redacted, withheld, touched] = [[], [], [], []] as string[][] as [
    string[],
    string[],
    string[],
    string[],
  ];
  const write = (name: string, content: unknown, mode = 0o600) => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  };
  for (const [name, content] of Object.entries(given)) write(name, content);
  const env = options.env ?? {};
  const system = createSystemPorts({ env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => system.close());
  const files = watched(system.files, (path) => touched.push(path.replace(`${directory}/`, '')));
  const models = createModels({
    apis: apis ?? listeningApis(requests),
    env,
    directory,
    warn: (sentence) => void warnings.push(sentence),
    redact: (secret) => void redacted.push(secret),
    withhold: (variable) => void withheld.push(variable),
    ...rest,
    ports: { ...system, files, ...replaced },
  });
  return { models, directory, requests, warnings, redacted, withheld, touched, write };
}

function watched(files: Ports['files'], touch: (path: string) => void): Ports['files'] {
  return {
    ...files,
    info: (path, options) => {
      touch(path);
      return files.info(path, options);
    },
    read: (path, range) => {
      touch(path);
      return files.read(path, range);
    },
  };
}

/** One API for every format that a provider speaks; each answers with nothing. */
function listeningApis(requests: ApiRequest[]): Record<string, ApiLoader> {
  const api: ModelApi = {
    async *stream(request) {
      requests.push(request);
      const builder = new MessageBuilder(request.model, 0);
      yield builder.start();
      yield builder.finish('stop');
    },
  };
  return Object.fromEntries(
    [OFFLINE_API, ...PROVIDERS.map((provider) => provider.api)].map((name) => [name, async () => api]),
  );
}

export function nameOf(model: Model | null | undefined): string | undefined {
  return model ? `${model.provider}/${model.id}` : undefined;
}

export function requestFor(model: Model, signal = new AbortController().signal): ModelRequest {
  return {
    model,
    systemPrompt: '',
    messages: [{ role: 'user', content: 'say `hi`', timestamp: 0 }],
    tools: [],
    thinkingLevel: 'off',
    signal,
    sessionId: 's',
  };
}
