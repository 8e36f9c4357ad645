// Every shape that the protocol's documents show, with values of our own: what a host sends is understood, what we send
// has the documented keys and no others. Rows for commands and events that do not exist yet wait until they do.
import { describe, expect, test } from 'vitest';
import { pascalCase } from '../../../scripts/pages/naming.ts';
import { Fault } from '../../../src/base/index.ts';
import { commandsByName } from '../../../src/commands/index.ts';
import { type Chunk, check, type Frame } from '../../../src/contracts/index.ts';
import { omp } from '../../../src/dialects/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { complaintsAbout } from '../../support/wire-schema.ts';
import { ANSWERS, ASKS, COMMANDS, EVENTS, RESULTS, streamEvents } from './corpus.ts';

const newCodec = (stream: 'full' | 'delta' = 'full') => createOmpCodec({ version: '1.2.3', stream });

function textOf(frame: Frame | undefined): string {
  const decoder = new TextDecoder();
  const parts = (frame?.chunks ?? []).map((chunk: Chunk) =>
    typeof chunk === 'string' ? chunk : decoder.decode(chunk),
  );
  return parts.join('');
}

/** The frame as a host reads it; a line is one JSON object and a newline. */
function read(frame: Frame | undefined): unknown {
  const text = textOf(frame);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return JSON.parse(text);
}

describe('commands', () => {
  const rows = COMMANDS.filter(({ frame }) => commandsByName.has(frame.type));

  test.each(rows)('$frame', ({ frame, params }) => {
    const incoming = newCodec().decode({ text: JSON.stringify(frame) });
    if (incoming.kind !== 'call') throw new Error(`understood as ${incoming.kind}`);
    const { id, type, ...own } = frame;
    expect(incoming.token).toEqual({ name: type, ...(id === undefined ? {} : { id }) });
    expect(check(commandsByName.get(type)!.params, incoming.params)).toEqual(params ?? own);
    expect(complaintsAbout(`${pascalCase(type)}Command`, frame)).toEqual([]);
    expect(complaintsAbout('HostFrame', frame)).toEqual([]);
  });

  test('none is missing', () => {
    expect([...commandsByName.keys()].filter((name) => !COMMANDS.some(({ frame }) => frame.type === name))).toEqual([]);
  });
});

describe('answers to questions', () => {
  test.each(ANSWERS)('%j', (frame) => {
    const { id, type: _, ...answer } = frame;
    expect(newCodec().decode({ text: JSON.stringify(frame) })).toEqual({ kind: 'answer', id, answer });
    expect(complaintsAbout('ExtensionUiResponse', frame)).toEqual([]);
  });
});

describe('responses', () => {
  const { reply } = newCodec();
  const rows = RESULTS.filter(([command]) => commandsByName.has(command));

  test.each(rows)('%s with %j', (command, data) => {
    const frame = read(reply({ name: command, id: 'r-1' }, { moment: 'settled', result: data }));
    expect(frame).toEqual({ id: 'r-1', type: 'response', command, success: true, data });
    expect(complaintsAbout(`${pascalCase(command)}Response`, frame)).toEqual([]);
  });

  test('every command with a result has a row', () => {
    const withResult = [...commandsByName.values()].filter(({ result }) => result).map(({ name }) => name);
    expect(withResult.filter((name) => !RESULTS.some(([command]) => command === name))).toEqual([]);
  });

  const bare = [...commandsByName.values()].filter(({ result }) => !result).map(({ name }) => name);
  test.each(bare)('%s succeeds without data, once', (name) => {
    const replies = [{ moment: 'accepted' } as const, { moment: 'settled', result: undefined } as const];
    const frames = replies.map((moment) => reply({ name }, moment)).filter((frame) => frame !== undefined);
    expect(frames.map(read)).toEqual([{ type: 'response', command: name, success: true }]);
    expect(complaintsAbout(`${pascalCase(name)}Response`, read(frames[0]))).toEqual([]);
  });

  test('key order, and no id where none was sent', () => {
    const result = { text: 'hi' };
    const named = { name: 'get_last_assistant_text' };
    expect(textOf(reply({ ...named, id: 7 }, { moment: 'settled', result }))).toBe(
      '{"id":7,"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"hi"}}\n',
    );
    expect(textOf(reply(named, { moment: 'settled', result }))).toBe(
      '{"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"hi"}}\n',
    );
  });

  test('a failure carries the name and the id of its command', () => {
    const fault = new Fault('not_found', 'Model not found: acme/none');
    const frame = read(reply({ name: 'set_model', id: 'r-2' }, { moment: 'failed', fault, afterAccepted: false }));
    expect(frame).toEqual({
      id: 'r-2',
      type: 'response',
      command: 'set_model',
      success: false,
      error: 'Model not found: acme/none',
    });
    expect(complaintsAbout('FailureResponse', frame)).toEqual([]);
  });

  test.each(['prompt', 'abort_and_prompt'])('%s: accepted first, a later failure under the same id', (name) => {
    const token = { name, id: 'r-3' };
    const fault = new Fault('internal', 'It broke');
    expect(read(reply(token, { moment: 'accepted' }))).toEqual({
      id: 'r-3',
      type: 'response',
      command: name,
      success: true,
    });
    expect(read(reply(token, { moment: 'failed', fault, afterAccepted: true }))).toEqual({
      id: 'r-3',
      type: 'response',
      command: name,
      success: false,
      error: 'It broke',
    });
  });

  test('unknown commands and unreadable lines are answered without an id', () => {
    const { decode } = newCodec();
    const fault = new Fault('unknown_command', 'Unknown command: fly');
    expect(read(reply({ name: 'fly', id: 'r-4' }, { moment: 'failed', fault, afterAccepted: false }))).toEqual({
      type: 'response',
      command: 'fly',
      success: false,
      error: 'Unknown command: fly',
    });
    const incoming = decode({ text: '{"id":"r-5","type":' });
    if (incoming.kind !== 'refused') throw new Error(incoming.kind);
    const frame = read(reply(incoming.token, { moment: 'failed', fault: incoming.fault, afterAccepted: false }));
    expect(frame).toEqual({
      type: 'response',
      command: 'parse',
      success: false,
      error: expect.stringMatching(/^Failed to parse command: /),
    });
  });
});

describe('events', () => {
  const declared = new Set<string>(omp.events);

  test.each(EVENTS.filter(({ type }) => declared.has(type)))('$type', async (event) => {
    const codec = newCodec();
    await codec.watchSubagents?.('events');
    const frame = read(codec.event(event as AgentEvent));
    expect(frame).toEqual(event);
    // An id would look like a reply's; only subagents have one of their own.
    if (!event.type.startsWith('subagent_')) expect(frame).not.toHaveProperty('id');
    expect(complaintsAbout(`${pascalCase(event.type)}Event`, frame)).toEqual([]);
  });

  test('none is missing', () => {
    for (const { type } of EVENTS) declared.delete(type);
    expect([...declared]).toEqual(['message_update']);
  });

  test('message_update in all its kinds, with the whole message twice', () => {
    const codec = newCodec();
    const kinds = new Set<string>();
    for (const assistantMessageEvent of streamEvents()) {
      const { partial: message } = assistantMessageEvent;
      kinds.add(assistantMessageEvent.type);
      const frame = read(codec.event({ type: 'message_update', message, assistantMessageEvent }));
      expect(frame).toEqual({ type: 'message_update', message, assistantMessageEvent });
      expect(complaintsAbout('MessageUpdateEvent', frame)).toEqual([]);
    }
    expect(kinds.size).toBe(9);
  });

  test('message_update with --stream delta: only what is new, and the call by name', () => {
    const codec = newCodec('delta');
    for (const assistantMessageEvent of streamEvents()) {
      const { partial: message, ...rest } = assistantMessageEvent;
      const frame = read(codec.event({ type: 'message_update', message, assistantMessageEvent }));
      const call = rest.type === 'toolcall_start' ? { id: 'call_9', toolName: 'bash' } : {};
      expect(frame).toEqual({ type: 'message_update', assistantMessageEvent: { ...rest, ...call } });
      expect(complaintsAbout('MessageUpdateDeltaEvent', frame)).toEqual([]);
    }
  });
});

test.each(ASKS)('extension_ui_request $method', (request) => {
  const frame = read(newCodec().ask(request));
  expect(frame).toEqual({ type: 'extension_ui_request', ...request });
  expect(complaintsAbout('ExtensionUiRequest', frame)).toEqual([]);
});

test('the greeting', () => {
  const frame = read(newCodec().greeting());
  expect(frame).toEqual({ type: 'ready', version: '1.2.3', protocolVersion: 1, dialect: 'omp' });
  expect(complaintsAbout('AgentFrame', frame)).toEqual([]);
});

test('the schema refuses what is not declared', () => {
  expect(complaintsAbout('PromptCommand', { type: 'prompt', message: 'x', colour: 'red' })).toEqual([
    '$.colour is not declared',
  ]);
  expect(complaintsAbout('AgentEndEvent', { type: 'agent_end', messages: [{ role: 'user' }] })).not.toEqual([]);
  expect(complaintsAbout('AgentStartEvent', { type: 'agent_start', id: '1' })).toEqual(['$.id is not declared']);
});
