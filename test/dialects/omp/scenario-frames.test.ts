// Plays every story with an ear on the wire: whatever leaves us is one JSON object per line, declared, and safe for line readers.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pascalCase } from '../../../scripts/pages/naming.ts';
import type { Chunk } from '../../../src/contracts/index.ts';
import { omp } from '../../../src/dialects/index.ts';
import { events } from '../../../src/protocol/index.ts';
import { playScenario } from '../../../src/testing/scenario.ts';
import type { MemoryOptions, MemoryPair } from '../../../src/transports/memory.ts';
import { complaintsAbout } from '../../support/omp-schema.ts';

const lines: string[] = [];

vi.mock('../../../src/transports/index.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/transports/index.ts')>();
  const createMemoryTransport = (options?: MemoryOptions): MemoryPair => {
    const { transport, host } = original.createMemoryTransport(options);
    const write = (chunks: readonly Chunk[]) => {
      lines.push(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString());
      return transport.write(chunks);
    };
    return { transport: { ...transport, write }, host };
  };
  return { ...original, createMemoryTransport };
});

const stories = join(import.meta.dirname, '../../../scenarios/omp');

beforeAll(async () => {
  const names = (await readdir(stories)).filter((name) => name.endsWith('.txt'));
  // A few at a time: some start processes, and all of them at once would keep each other waiting.
  const lane = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      const directory = await mkdtemp(join(tmpdir(), 'parley-frames-'));
      const text = await readFile(join(stories, name), 'utf8');
      // A story that fails is told by its own test; what it said until then counts here.
      await playScenario(text, { directory, dialect: 'omp' }).catch(() => {});
      await rm(directory, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}, 120_000);

type Frame = Record<string, unknown>;
let parsed: Frame[] | undefined;
const frames = (): Frame[] => {
  parsed ??= lines.map((line) => JSON.parse(line));
  return parsed;
};

/** What the frame says it is; a success of a command that nobody declared has no definition and is told as such. */
function definitionFor({ type, command, success, message }: Frame): string {
  if (type === 'ready') return 'Ready';
  if (type === 'response') return success === true ? `${pascalCase(String(command))}Response` : 'FailureResponse';
  if (type === 'message_update' && message === undefined) return 'MessageUpdateDeltaEvent';
  return type === 'extension_ui_request' ? 'ExtensionUiRequest' : `${pascalCase(String(type))}Event`;
}

test('one JSON object and one newline each, no raw separators', () => {
  expect(lines.length).toBeGreaterThan(500);
  for (const line of lines) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line).toMatch(/^\{.*\}\n$/);
    expect(line).not.toMatch(/[\r\u2028\u2029]/);
  }
  for (const frame of frames()) expect(Object.getPrototypeOf(frame)).toBe(Object.prototype);
});

test('every frame is declared, key by key', () => {
  const wrong = frames().flatMap((frame) => {
    const found = complaintsAbout(definitionFor(frame), frame);
    return found.length === 0 ? [] : [`${JSON.stringify(frame).slice(0, 300)}: ${found.join(', ')}`];
  });
  expect([...new Set(wrong)].slice(0, 5)).toEqual([]);
});

test('events carry no id, but for those of subagents, which have one', () => {
  const types = new Set<unknown>(events.map(({ type }) => type).filter((type) => !type.startsWith('subagent_')));
  expect(frames().filter((frame) => types.has(frame.type) && 'id' in frame)).toEqual([]);
});

describe('the stories tell of', () => {
  // These need an extension or a disk that fails; their shapes are in the corpus.
  const elsewhere = new Set<string>(['extension_error', 'notice']);
  test.each(omp.events.filter((type) => !elsewhere.has(type)))('%s', (type) => {
    expect(frames().some((frame) => frame.type === type)).toBe(true);
  });
});
