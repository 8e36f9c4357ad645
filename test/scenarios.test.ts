// Runs every transcript under scenarios/; the folder is the dialect. Then checks all lines that the agent sent: one JSON object per line,
// declared in the schema, without raw line separators.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { definitionName } from '../scripts/pages/frames-opal.ts';
import { pascalCase } from '../scripts/pages/naming.ts';
import type { Chunk } from '../src/contracts/index.ts';
import { events } from '../src/protocol/index.ts';
import { runScenario } from '../src/testing/run-scenario.ts';
import type { MemoryOptions, MemoryTransportPair } from '../src/transports/memory-transport.ts';
import { createFrameChecker, listMethods, listUpdateKinds } from './support/acp-schema.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';
import { findSchemaErrors, listFrameNames } from './support/wire-schema.ts';

const lines = new Map<string, string[]>();
let sentLines: string[] = [];
/** Results of JSON-RPC do not contain the method, so it is recorded here. */
const answers: { method: string; result: unknown }[] = [];
/** Frames of the agent that violate the schema of the Agent Client Protocol, which Parley does not publish itself. */
const acpErrors: string[] = [];
let currentDialect = '';

/** Records the method of each request and finds it again for the response. */
function createRequestLog() {
  const called = new Map<unknown, string>();
  return {
    recordRequest(line: unknown) {
      const { id, method } = typeof line === 'string' && /^{.*"jsonrpc"/.test(line) ? parseObject(line) : {};
      if (typeof method === 'string') called.set(id, method);
    },
    recordResponse(line: string) {
      const { jsonrpc, id, result } = parseObject(line);
      const method = jsonrpc && result !== undefined ? called.get(id) : undefined;
      if (method !== undefined) answers.push({ method, result });
    },
  };
}

function parseObject(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

vi.mock('../src/transports/index.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/transports/index.ts')>();
  const createMemoryTransport = (options?: MemoryOptions): MemoryTransportPair => {
    const { transport, host } = original.createMemoryTransport(options);
    const requestLog = createRequestLog();
    const checkFrame = createFrameChecker();
    const write = (chunks: readonly Chunk[]) => {
      const line = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
      sentLines.push(line);
      if (currentDialect === 'opal') requestLog.recordResponse(line);
      if (currentDialect === 'acp') {
        acpErrors.push(...checkFrame('agent', parseObject(line)).map((error) => `${error}: ${line.slice(0, 300)}`));
      }
      return transport.write(chunks);
    };
    const send: typeof host.send = (line) => {
      requestLog.recordRequest(line);
      // Wrong frames of the host are part of the transcripts.
      if (currentDialect === 'acp' && typeof line === 'string') checkFrame('client', parseObject(line));
      host.send(line);
    };
    return { transport: { ...transport, write }, host: { ...host, send } };
  };
  return { ...original, createMemoryTransport };
});

const scenarios = join(import.meta.dirname, '../scenarios');
const dialects = await readdir(scenarios);
const listTranscripts = async (dialect: string) =>
  (await readdir(join(scenarios, dialect))).filter((name) => name.endsWith('.txt')).sort();

describe.each(dialects)('%s', async (dialect) => {
  beforeAll(() => {
    sentLines = [];
    currentDialect = dialect;
    lines.set(dialect, sentLines);
  });

  test.each(await listTranscripts(dialect))('%s', async (name) => {
    const directory = createTemporaryDirectory();
    const text = await readFile(join(scenarios, dialect, name), 'utf8');
    const file = `scenarios/${dialect}/${name}`;
    await expect(runScenario(text, { directory, dialect, file })).resolves.toBeUndefined();
  });
});

type Frame = Record<string, unknown>;
const parseFrames = (dialect: string): Frame[] => (lines.get(dialect) ?? []).map((line) => JSON.parse(line));

/** Name of the schema definition for a frame. A success response of an undeclared command has none and is reported. */
function getDefinition(frame: Frame, dialect: string): string {
  if (dialect === 'opal') return getOpalDefinition(frame);
  const { type, command, success, message } = frame;
  if (type === 'ready' || type === 'prompt_result') return pascalCase(type);
  if (type === 'response') return success === true ? `${pascalCase(String(command))}Response` : 'FailureResponse';
  if (type === 'message_update' && message === undefined && dialect === 'omp') return 'MessageUpdateDeltaEvent';
  if (/^(host_tool|host_uri|rpc)_/.test(String(type))) return pascalCase(String(type));
  return type === 'extension_ui_request' ? 'ExtensionUiRequest' : `${pascalCase(String(type))}Event`;
}

function getOpalDefinition({ method, error }: Frame): string {
  if (method === 'agent/event') return 'EventNotification';
  if (typeof method === 'string') return `${definitionName(method)}Request`;
  return error === undefined ? 'Result' : 'Failure';
}

/** The type or the method of a frame, or the type of its event. */
function getFrameName({ type, method, params }: Frame): unknown {
  if (method === 'session/update') return ((params as Frame).update as Frame).sessionUpdate;
  return method === 'agent/event' ? (params as Frame).type : (type ?? method);
}

/** Frames that no transcript contains. */
const TESTED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  // These need a failing disk or frames of more than 1 MiB. Their format is tested in test/dialects/omp.
  omp: ['extension_error', 'notice', 'rpc_chunk', 'rpc_frame_error'],
  // The summary is sent whole, and pages are not reported as complete. test/acp tests the end of a terminal.
  acp: ['compaction_summary_chunk', 'elicitation/complete', 'terminal/kill'],
};

function listNames(dialect: string, root: 'HostFrame' | 'AgentFrame'): string[] {
  if (dialect !== 'acp') return listFrameNames(dialect, root);
  if (root === 'HostFrame') return [...listMethods('agent'), 'session/fork', '_session/steering', '_parley/get_state'];
  return [...listMethods('client').filter((method) => method !== 'session/update'), ...listUpdateKinds()];
}

describe.each(dialects)('frames of %s', (dialect) => {
  test('every line is one JSON object and one newline, without raw line separators', () => {
    const sent = lines.get(dialect) ?? [];
    expect(sent.length).toBeGreaterThan(100);
    for (const line of sent) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line).toMatch(/^\{.*\}\n$/);
      expect(line).not.toMatch(/[\r\u2028\u2029]/);
    }
    for (const frame of parseFrames(dialect)) expect(Object.getPrototypeOf(frame)).toBe(Object.prototype);
  });

  test('every frame is declared, key by key', () => {
    if (dialect === 'acp') return expect([...new Set(acpErrors)].slice(0, 5)).toEqual([]);
    const wrong = parseFrames(dialect).flatMap((frame) => {
      const found = findSchemaErrors(getDefinition(frame, dialect), frame, dialect);
      return found.length === 0 ? [] : [`${JSON.stringify(frame).slice(0, 300)}: ${found.join(', ')}`];
    });
    expect([...new Set(wrong)].slice(0, 5)).toEqual([]);
  });

  test('events have no id, except those that declare one', () => {
    const withId = /^(subagent_|bash_execution_update$)/;
    const types = new Set<unknown>(events.map(({ type }) => type).filter((type) => !withId.test(type)));
    expect(parseFrames(dialect).filter((frame) => types.has(frame.type) && 'id' in frame)).toEqual([]);
  });

  test('the scenarios cover every frame type of the agent', () => {
    const sentNames = new Set(parseFrames(dialect).map(getFrameName));
    expect(
      listNames(dialect, 'AgentFrame').filter(
        (word) => !sentNames.has(word) && !(TESTED_ELSEWHERE[dialect] ?? []).includes(word),
      ),
    ).toEqual([]);
  });

  test('the scenarios use every frame type of the host', async () => {
    const names = await listTranscripts(dialect);
    const texts = await Promise.all(names.map((name) => readFile(join(scenarios, dialect, name), 'utf8')));
    const used = new Set(
      texts.flatMap((text) => [...text.matchAll(/^> .*?"(?:type|method)": ?"([\w/$]+)"/gm)].map(([, word]) => word)),
    );
    expect(listNames(dialect, 'HostFrame').filter((word) => !used.has(word))).toEqual([]);
  });
});

test('every opal result matches its schema, and every method was replied to at least once', () => {
  const wrong = answers.flatMap(({ method, result }) => {
    const found = findSchemaErrors(`${definitionName(method)}Result`, result, 'opal');
    return found.length === 0 ? [] : [`${method} ${JSON.stringify(result).slice(0, 300)}: ${found.join(', ')}`];
  });
  expect([...new Set(wrong)].slice(0, 5)).toEqual([]);
  const answered = new Set(answers.map(({ method }) => method));
  // Login needs a provider that replies, which is tested elsewhere.
  const testedElsewhere = new Set(['auth/login', 'auth/poll']);
  expect(
    listFrameNames('opal', 'HostFrame').filter((word) => !answered.has(word) && !testedElsewhere.has(word)),
  ).toEqual([]);
});
