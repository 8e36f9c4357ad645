// Setup for tests of the model registry: real files in a temporary directory, an environment, and APIs that record requests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { ApiRequest, ModelApi, ModelRequest, Ports } from '../../src/contracts/index.ts';
import type { ApiLoader } from '../../src/llm/index.ts';
import { createModels, type ModelsOptions } from '../../src/llm/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { OFFLINE_API } from '../../src/llm/offline/offline-model.ts';
import { PROVIDERS } from '../../src/llm/providers/providers.ts';
import type { Model } from '../../src/protocol/index.ts';
import { NO_METADATA } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export interface ModelFixtureOptions extends Partial<Omit<ModelsOptions, 'ports' | 'directory' | 'apis'>> {
  files?: Readonly<Record<string, unknown>>;
  ports?: Partial<Ports>;
  apis?: ModelsOptions['apis'];
}

export interface ModelFixture {
  readonly models: ReturnType<typeof createModels>;
  readonly directory: string;
  /** Every request that reached an API. */
  readonly requests: readonly ApiRequest[];
  readonly warnings: readonly string[];
  readonly redacted: readonly string[];
  readonly withheld: readonly string[];
  /** Paths that were read or checked, in order, relative to the directory. */
  readonly accessedPaths: readonly string[];
  write(name: string, content: unknown, mode?: number): void;
}

export function createModelFixture(options: ModelFixtureOptions = {}): ModelFixture {
  const { files: initialFiles = {}, ports: portOverrides, apis, env: variables, ...rest } = options;
  const directory = createTemporaryDirectory();
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
  for (const [name, content] of Object.entries(initialFiles)) write(name, content);
  const env = { ...NO_METADATA, ...variables };
  const system = createSystemPorts({ env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => system.close());
  const files = watchFiles(system.files, (path) => touched.push(path.replace(`${directory}/`, '')));
  const models = createModels({
    apis: apis ?? createRecordingApis(requests),
    env,
    directory,
    warn: (sentence) => void warnings.push(sentence),
    redact: (secret) => void redacted.push(secret),
    withhold: (variable) => void withheld.push(variable),
    ...rest,
    ports: { ...system, files, ...portOverrides },
  });
  return { models, directory, requests, warnings, redacted, withheld, accessedPaths: touched, write };
}

function watchFiles(files: Ports['files'], onAccess: (path: string) => void): Ports['files'] {
  return {
    ...files,
    info: (path, options) => {
      onAccess(path);
      return files.info(path, options);
    },
    read: (path, range) => {
      onAccess(path);
      return files.read(path, range);
    },
  };
}

/** One API for every wire format; each sends an empty reply. */
function createRecordingApis(requests: ApiRequest[]): Record<string, ApiLoader> {
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

export function getModelName(model: Model | null | undefined): string | undefined {
  return model ? `${model.provider}/${model.id}` : undefined;
}

export function createRequest(model: Model, signal = new AbortController().signal): ModelRequest {
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
