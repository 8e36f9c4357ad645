// Plays every story with an ear on the wire: whatever leaves us is one JSON object per line, declared, and safe for line readers.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { definitionName } from '../../scripts/pages/frames-opal.ts';
import { pascalCase } from '../../scripts/pages/naming.ts';
import type { Chunk } from '../../src/contracts/index.ts';
import { events } from '../../src/protocol/index.ts';
import { playScenario } from '../../src/testing/scenario.ts';
import type { MemoryOptions, MemoryPair } from '../../src/transports/memory.ts';
import { complaintsAbout, wordsOf } from '../support/wire-schema.ts';

const lines = new Map<string, string[]>();
let heard: string[] = [];
/** Results of JSON-RPC do not say what they answer. */
const answers: { method: string; result: unknown }[] = [];

/** Notes what was called, and finds it again when the answer comes. */
function createLedger() {
  const called = new Map<unknown, string>();
  return {
    said(line: unknown) {
      const { id, method } = typeof line === 'string' && /^{.*"jsonrpc"/.test(line) ? parsed(line) : {};
      if (typeof method === 'string') called.set(id, method);
    },
    wrote(line: string) {
      const { jsonrpc, id, result } = parsed(line);
      const method = jsonrpc && result !== undefined ? called.get(id) : undefined;
      if (method !== undefined) answers.push({ method, result });
    },
  };
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

vi.mock('../../src/transports/index.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/transports/index.ts')>();
  const createMemoryTransport = (options?: MemoryOptions): MemoryPair => {
    const { transport, host } = original.createMemoryTransport(options);
    const ledger = createLedger();
    const write = (chunks: readonly Chunk[]) => {
      const line = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
      heard.push(line);
      ledger.wrote(line);
      return transport.write(chunks);
    };
    const send: typeof host.send = (line) => {
      ledger.said(line);
      host.send(line);
    };
    return { transport: { ...transport, write }, host: { ...host, send } };
  };
  return { ...original, createMemoryTransport };
});

const scenarios = join(import.meta.dirname, '../../scenarios');
const dialects = ['omp', 'pi', 'pi-legacy', 'opal'];

beforeAll(async () => {
  for (const dialect of dialects) {
    heard = [];
    lines.set(dialect, heard);
    await playAll(dialect);
  }
});

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
function definitionFor(frame: Frame, dialect: string): string {
  if (dialect === 'opal') return opalDefinitionFor(frame);
  const { type, command, success, message } = frame;
  if (type === 'ready') return 'Ready';
  if (type === 'response') return success === true ? `${pascalCase(String(command))}Response` : 'FailureResponse';
  if (type === 'message_update' && message === undefined && dialect === 'omp') return 'MessageUpdateDeltaEvent';
  if (String(type).startsWith('host_tool_')) return pascalCase(String(type));
  return type === 'extension_ui_request' ? 'ExtensionUiRequest' : `${pascalCase(String(type))}Event`;
}

function opalDefinitionFor({ method, error }: Frame): string {
  if (method === 'agent/event') return 'EventNotification';
  if (typeof method === 'string') return `${definitionName(method)}Request`;
  return error === undefined ? 'Result' : 'Failure';
}

/** What a frame is about: its type, its method, or what has happened. */
function wordOf({ type, method, params }: Frame): unknown {
  return method === 'agent/event' ? (params as Frame).type : (type ?? method);
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
    const told = new Set(framesOf(dialect).map(wordOf));
    // These need a disk that fails; their shapes are in the corpus.
    const elsewhere = new Set(dialect === 'omp' ? ['extension_error', 'notice'] : []);
    expect(wordsOf(dialect, 'AgentFrame').filter((word) => !told.has(word) && !elsewhere.has(word))).toEqual([]);
  });

  test('the stories use every word that a host has', async () => {
    const stories = join(scenarios, dialect);
    const names = (await readdir(stories)).filter((name) => name.endsWith('.txt'));
    const texts = await Promise.all(names.map((name) => readFile(join(stories, name), 'utf8')));
    const used = new Set(
      texts.flatMap((text) => [...text.matchAll(/^> .*?"(?:type|method)": ?"([\w/]+)"/gm)].map(([, word]) => word)),
    );
    expect(wordsOf(dialect, 'HostFrame').filter((word) => !used.has(word))).toEqual([]);
  });
});

test('every result of opal is as its method declares, and every method was answered once', () => {
  const wrong = answers.flatMap(({ method, result }) => {
    const found = complaintsAbout(`${definitionName(method)}Result`, result, 'opal');
    return found.length === 0 ? [] : [`${method} ${JSON.stringify(result).slice(0, 300)}: ${found.join(', ')}`];
  });
  expect([...new Set(wrong)].slice(0, 5)).toEqual([]);
  const answered = new Set(answers.map(({ method }) => method));
  // Signing in needs a provider that answers, which is played elsewhere.
  const elsewhere = new Set(['auth/login', 'auth/poll']);
  expect(wordsOf('opal', 'HostFrame').filter((word) => !answered.has(word) && !elsewhere.has(word))).toEqual([]);
});
