// Plays every story with an ear on the wire: whatever leaves us is one JSON object per line, declared, and safe for line readers.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pascalCase } from '../../scripts/pages/naming.ts';
import type { Chunk } from '../../src/contracts/index.ts';
import { events } from '../../src/protocol/index.ts';
import { playScenario } from '../../src/testing/scenario.ts';
import type { MemoryOptions, MemoryPair } from '../../src/transports/memory.ts';
import { complaintsAbout, wordsOf } from '../support/wire-schema.ts';

const lines = new Map<string, string[]>();
let heard: string[] = [];

vi.mock('../../src/transports/index.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/transports/index.ts')>();
  const createMemoryTransport = (options?: MemoryOptions): MemoryPair => {
    const { transport, host } = original.createMemoryTransport(options);
    const write = (chunks: readonly Chunk[]) => {
      heard.push(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString());
      return transport.write(chunks);
    };
    return { transport: { ...transport, write }, host };
  };
  return { ...original, createMemoryTransport };
});

const scenarios = join(import.meta.dirname, '../../scenarios');
const dialects = ['omp', 'pi', 'pi-legacy'];

beforeAll(async () => {
  for (const dialect of dialects) {
    heard = [];
    lines.set(dialect, heard);
    await playAll(dialect);
  }
}, 120_000);

async function playAll(dialect: string): Promise<void> {
  const stories = join(scenarios, dialect);
  const names = (await readdir(stories)).filter((name) => name.endsWith('.txt'));
  // A few at a time: some start processes, and all of them at once would keep each other waiting.
  const lane = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      const directory = await mkdtemp(join(tmpdir(), 'parley-frames-'));
      const text = await readFile(join(stories, name), 'utf8');
      // A story that fails is told by its own test; what it said until then counts here.
      await playScenario(text, { directory, dialect }).catch(() => {});
      await rm(directory, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

type Frame = Record<string, unknown>;
const framesOf = (dialect: string): Frame[] => (lines.get(dialect) ?? []).map((line) => JSON.parse(line));

/** What the frame says it is; a success of a command that nobody declared has no definition and is told as such. */
function definitionFor({ type, command, success, message }: Frame, dialect: string): string {
  if (type === 'ready') return 'Ready';
  if (type === 'response') return success === true ? `${pascalCase(String(command))}Response` : 'FailureResponse';
  if (type === 'message_update' && message === undefined && dialect === 'omp') return 'MessageUpdateDeltaEvent';
  if (String(type).startsWith('host_tool_')) return pascalCase(String(type));
  return type === 'extension_ui_request' ? 'ExtensionUiRequest' : `${pascalCase(String(type))}Event`;
}

describe.each(dialects)('%s', (dialect) => {
  test('one JSON object and one newline each, no raw separators', () => {
    const said = lines.get(dialect) ?? [];
    expect(said.length).toBeGreaterThan(100);
    for (const line of said) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line).toMatch(/^\{.*\}\n$/);
      expect(line).not.toMatch(/[\r\u2028\u2029]/);
    }
    for (const frame of framesOf(dialect)) expect(Object.getPrototypeOf(frame)).toBe(Object.prototype);
  });

  test('every frame is declared, key by key', () => {
    const wrong = framesOf(dialect).flatMap((frame) => {
      const found = complaintsAbout(definitionFor(frame, dialect), frame, dialect);
      return found.length === 0 ? [] : [`${JSON.stringify(frame).slice(0, 300)}: ${found.join(', ')}`];
    });
    expect([...new Set(wrong)].slice(0, 5)).toEqual([]);
  });

  test('events carry no id, but for those that have one of their own', () => {
    const withId = /^(subagent_|bash_execution_update$)/;
    const types = new Set<unknown>(events.map(({ type }) => type).filter((type) => !withId.test(type)));
    expect(framesOf(dialect).filter((frame) => types.has(frame.type) && 'id' in frame)).toEqual([]);
  });

  test('the stories tell of everything that there is', () => {
    const told = new Set(framesOf(dialect).map(({ type }) => type));
    // These need a disk that fails; their shapes are in the corpus.
    const elsewhere = new Set(dialect === 'omp' ? ['extension_error', 'notice'] : []);
    expect(wordsOf(dialect, 'AgentFrame').filter((word) => !told.has(word) && !elsewhere.has(word))).toEqual([]);
  });

  test('the stories use every word that a host has', async () => {
    const stories = join(scenarios, dialect);
    const names = (await readdir(stories)).filter((name) => name.endsWith('.txt'));
    const texts = await Promise.all(names.map((name) => readFile(join(stories, name), 'utf8')));
    const used = new Set(
      texts.flatMap((text) => [...text.matchAll(/^> .*?"type": ?"(\w+)"/gm)].map(([, type]) => type)),
    );
    expect(wordsOf(dialect, 'HostFrame').filter((word) => !used.has(word))).toEqual([]);
  });
});
