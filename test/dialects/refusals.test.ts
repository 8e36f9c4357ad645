// What a dialect publishes about a frame holds: every field that is wrong or missing gets one refusal, which names it, and nothing happens.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wireSchemas } from '../../scripts/pages/schemas.ts';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { dialectNamed } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { openMany, openOne } from '../../src/testing/scenario-house.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import type { SchemaDocument, SchemaNode } from '../support/json-schema.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { type WrongFrame, wrongFrames } from './wrong-frames.ts';

type Frame = Record<string, unknown>;

/** How a dialect refuses. A further one is one more row. */
interface Manner {
  /** Said before anything else, and heard before the first refusal. */
  readonly opening: { readonly said?: Frame; readonly heard: number };
  /** `undefined`: a frame without any. */
  readonly ids: readonly unknown[];
  /** `undefined`: nobody answers. */
  refusal(id: unknown, word: string): Frame | undefined;
  sentence(refusal: Frame): string;
  /** A call that fails at once, and its answer. */
  readonly last: readonly [said: Frame, heard: Frame];
}

const family: Omit<Manner, 'opening' | 'last'> = {
  ids: ['a', undefined],
  refusal: (id, command) => ({ ...(id ? { id } : {}), type: 'response', command, success: false }),
  sentence: ({ error }) => String(error),
};
const unknown = { type: 'response', command: 'fly', success: false, error: 'Unknown command: fly' };

const MANNERS: Readonly<Record<string, Manner>> = {
  omp: { ...family, opening: { heard: 1 }, last: [{ type: 'fly' }, unknown] },
  pi: { ...family, opening: { heard: 0 }, last: [{ type: 'fly' }, unknown] },
  'pi-legacy': {
    opening: { heard: 0 },
    ids: ['a', undefined],
    refusal: () => ({ type: 'error' }),
    sentence: ({ error }) => String(error),
    last: [{ type: 'fly' }, { type: 'error', error: 'Unknown type: "fly". Known: prompt, abort, compact' }],
  },
  opal: {
    opening: { said: { jsonrpc: '2.0', id: 'o', method: 'session/start', params: { session_id: 'x' } }, heard: 1 },
    // Without one it is a notification, and those are not answered.
    ids: ['a', null, undefined],
    refusal: (id) => (id === undefined ? undefined : { jsonrpc: '2.0', id, error: { code: -32602 } }),
    sentence: ({ error }) => `${(error as Frame).message} ${(error as Frame).data ?? ''}`,
    last: [
      { jsonrpc: '2.0', id: 'p', method: 'opal/ping' },
      { jsonrpc: '2.0', id: 'p', result: {} },
    ],
  },
};

/** Answers to questions, and news of what hosts do: those get no reply, whatever they say. */
const UNANSWERED = /^(ExtensionUiResponse|HostToolUpdate|HostToolResult|Result|Failure)$/;
/** An image with nothing in it may lack its bytes as well as its source. */
const LACKS_EITHER = 'images.source';
const documents = wireSchemas(new Map());

describe.each(Object.entries(MANNERS))('%s', (name, manner) => {
  const document = documents.get(name) as SchemaDocument;
  const definitions = ((document.definitions.HostFrame as SchemaNode).anyOf as SchemaNode[])
    .map(({ $ref }) => String($ref).replace('#/definitions/', ''))
    .filter((definition) => !UNANSWERED.test(definition));
  const wrong = definitions.flatMap((definition) => wrongFrames(document, definition));

  test('there are enough of them', () => {
    expect(definitions.length).toBeGreaterThanOrEqual({ omp: 45, pi: 35, 'pi-legacy': 3, opal: 24 }[name] ?? 0);
    expect(wrong.length).toBeGreaterThan(100);
  });

  test.each(manner.ids)('each gets one refusal, with the id %s', async (id) => {
    const house = await openHouse(name);
    const { opening, last } = manner;
    if (opening.said) house.send(opening.said);
    for (let count = 0; count < opening.heard; count++) await house.next();
    const before = await house.everything();
    for (const one of wrong) {
      house.send({ ...(id === undefined ? {} : { id }), ...one.frame });
      const refusal = manner.refusal(id, one.word);
      if (refusal) expectRefusal(await house.next(), { refusal, one, sentence: manner.sentence });
    }
    house.send(last[0]);
    // Nothing came but what was looked at.
    expect(await house.next()).toEqual(last[1]);
    expect(await house.everything()).toEqual(before);
    await house.close();
  });
});

function expectRefusal(
  frame: Frame,
  { refusal, one, sentence }: { refusal: Frame; one: WrongFrame; sentence(frame: Frame): string },
): void {
  const about = JSON.stringify(one.frame);
  expect(frame, about).toMatchObject(refusal);
  expect('id' in frame, about).toBe('id' in refusal);
  const text = sentence(frame);
  const field = one.isGone && one.path.join('.') === LACKS_EITHER ? 'data' : one.path.at(-1);
  expect(text, about).toMatch(new RegExp(`\\b${field}\\b`));
  expect(text, about).not.toMatch(/TypeError|undefined|\[object|Cannot read|is not a function|Invalid (type|length)/);
}

async function openHouse(name: string) {
  const directory = temporaryDirectory();
  await mkdir(join(directory, 'work'), { recursive: true });
  const clock = createFakeClock();
  const ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels([], { now: () => clock.now() });
  const dialect = await dialectNamed(name);
  const options = {
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: {},
    settings: defaultSettings,
    ports,
    models,
  };
  const house = dialect.manySessions ? openMany(options) : await openOne(options, 'said');
  const { transport, host } = createMemoryTransport();
  const codec = dialect.codec({ version: '0', stream: 'full' });
  const served = serve({ transport, codec, commands: house.commands, hub: house.hub, ports, onEof: 'finish' });
  return {
    send: (frame: Frame) => host.send(JSON.stringify(frame)),
    next: async () => JSON.parse(await host.next()) as Frame,
    /** All that a call could have changed. */
    everything: async () => ({
      state: house.session?.state(),
      messages: [...(house.session?.history.messages() ?? [])],
      requests: models.requests.length,
      files: await filesIn(directory),
    }),
    async close() {
      host.end();
      await served;
      await house.close();
      transport.close();
    },
  };
}

async function filesIn(directory: string): Promise<Record<string, string>> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));
}
