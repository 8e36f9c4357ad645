// Every wrong or missing field of a published frame is refused once, with the name of the field, and nothing changes.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wireSchemas } from '../../scripts/pages/schemas.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { loadDialect } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { createMultiSessionAgent, createSingleSessionAgent } from '../../src/testing/scenario-agent.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import type { SchemaDocument, SchemaNode } from '../support/json-schema.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { type WrongFrame, wrongFrames } from './wrong-frames.ts';

type Frame = Record<string, unknown>;

/** How a dialect sends refusals. */
interface RefusalFormat {
  /** A frame to send first, and the number of frames to read before the first refusal. */
  readonly opening: { readonly request?: Frame; readonly frameCount: number };
  /** Ids to send; `undefined` means a frame without an id. */
  readonly ids: readonly unknown[];
  /** Returns the expected refusal; `undefined` when no reply is sent. */
  refusal(id: unknown, name: string): Frame | undefined;
  sentence(refusal: Frame): string;
  /** A call that fails immediately, and its reply. */
  readonly last: readonly [request: Frame, reply: Frame];
}

const responseFormat: Omit<RefusalFormat, 'opening' | 'last'> = {
  ids: ['a', undefined],
  refusal: (id, command) => ({ ...(id ? { id } : {}), type: 'response', command, success: false }),
  sentence: ({ error }) => String(error),
};
const unknown = { type: 'response', command: 'fly', success: false, error: 'Unknown command: fly' };

const FORMATS: Readonly<Record<string, RefusalFormat>> = {
  omp: { ...responseFormat, opening: { frameCount: 1 }, last: [{ type: 'fly' }, unknown] },
  pi: { ...responseFormat, opening: { frameCount: 0 }, last: [{ type: 'fly' }, unknown] },
  'pi-legacy': {
    opening: { frameCount: 0 },
    ids: ['a', undefined],
    refusal: () => ({ type: 'error' }),
    sentence: ({ error }) => String(error),
    last: [{ type: 'fly' }, { type: 'error', error: 'Unknown type: "fly". Known: prompt, abort, compact' }],
  },
  opal: {
    opening: {
      request: { jsonrpc: '2.0', id: 'o', method: 'session/start', params: { session_id: 'x' } },
      frameCount: 1,
    },
    // A frame without an id is a notification, which is not replied to.
    ids: ['a', null, undefined],
    refusal: (id) => (id === undefined ? undefined : { jsonrpc: '2.0', id, error: { code: -32602 } }),
    sentence: ({ error }) => `${(error as Frame).message} ${(error as Frame).data ?? ''}`,
    last: [
      { jsonrpc: '2.0', id: 'p', method: 'opal/ping' },
      { jsonrpc: '2.0', id: 'p', result: {} },
    ],
  },
};

/** UI answers and responses of host tools and host URIs get no reply. */
const UNANSWERED = /^(ExtensionUiResponse|HostToolUpdate|HostToolResult|HostUriResult|Result|Failure)$/;
/** For an empty image, either `source` or `data` may be reported as missing. */
const AMBIGUOUS_PATH = 'images.source';
const documents = wireSchemas(new Map());

describe.each(Object.entries(FORMATS))('%s', (name, format) => {
  const document = documents.get(name) as SchemaDocument;
  const definitions = ((document.definitions.HostFrame as SchemaNode).anyOf as SchemaNode[])
    .map(({ $ref }) => String($ref).replace('#/definitions/', ''))
    .filter((definition) => !UNANSWERED.test(definition));
  const wrong = definitions.flatMap((definition) => wrongFrames(document, definition));

  test('the schema produces enough wrong frames', () => {
    expect(definitions.length).toBeGreaterThanOrEqual({ omp: 45, pi: 35, 'pi-legacy': 3, opal: 24 }[name] ?? 0);
    expect(wrong.length).toBeGreaterThan(100);
  });

  test.each(format.ids)('each wrong frame gets one refusal, with the id %s', async (id) => {
    const agent = await startAgent(name);
    const { opening, last } = format;
    if (opening.request) agent.send(opening.request);
    for (let count = 0; count < opening.frameCount; count++) await agent.next();
    const before = await agent.readState();
    for (const wrongFrame of wrong) {
      agent.send({ ...(id === undefined ? {} : { id }), ...wrongFrame.frame });
      const refusal = format.refusal(id, wrongFrame.name);
      if (refusal) expectRefusal(await agent.next(), { refusal, wrongFrame, sentence: format.sentence });
    }
    agent.send(last[0]);
    // No other frame was sent.
    expect(await agent.next()).toEqual(last[1]);
    expect(await agent.readState()).toEqual(before);
    await agent.close();
  });
});

function expectRefusal(
  frame: Frame,
  { refusal, wrongFrame, sentence }: { refusal: Frame; wrongFrame: WrongFrame; sentence(frame: Frame): string },
): void {
  const frameText = JSON.stringify(wrongFrame.frame);
  expect(frame, frameText).toMatchObject(refusal);
  expect('id' in frame, frameText).toBe('id' in refusal);
  const text = sentence(frame);
  const field = wrongFrame.isMissing && wrongFrame.path.join('.') === AMBIGUOUS_PATH ? 'data' : wrongFrame.path.at(-1);
  expect(text, frameText).toMatch(new RegExp(`\\b${field}\\b`));
  expect(text, frameText).not.toMatch(
    /TypeError|undefined|\[object|Cannot read|is not a function|Invalid (type|length)/,
  );
}

async function startAgent(name: string) {
  const directory = createTemporaryDirectory();
  await mkdir(join(directory, 'work'), { recursive: true });
  const clock = createFakeClock();
  const ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels([], { now: () => clock.now() });
  const dialect = await loadDialect(name);
  const options = {
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: {},
    settings: defaultSettings,
    ports,
    models,
  };
  const agent = dialect.isMultiSession
    ? createMultiSessionAgent(options)
    : await createSingleSessionAgent(options, 'flag');
  const { transport, host } = createMemoryTransport();
  const codec = dialect.createCodec({ version: '0', stream: 'full' });
  const served = serve({ transport, codec, commands: agent.commands, hub: agent.hub, ports, onEof: 'finish' });
  return {
    send: (frame: Frame) => host.send(JSON.stringify(frame)),
    next: async () => JSON.parse(await host.next()) as Frame,
    /** Everything that a call could have changed. */
    readState: async () => ({
      state: agent.session?.state(),
      messages: [...(agent.session?.history.messages() ?? [])],
      requests: models.requests.length,
      files: await readFiles(directory),
    }),
    async close() {
      host.end();
      await served;
      await agent.close();
      transport.close();
    },
  };
}

async function readFiles(directory: string): Promise<Record<string, string>> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));
}
