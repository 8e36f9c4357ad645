// Checks every frame format of the protocol documents: frames of a host are accepted, and our frames have exactly the
// documented keys. Rows for commands and events that do not exist yet are skipped.
import { describe, expect, test } from 'vitest';
import { pascalCase } from '../../../scripts/pages/naming.ts';
import { Fault } from '../../../src/base/index.ts';
import { commandsByName } from '../../../src/commands/index.ts';
import { type Chunk, type Frame, validate } from '../../../src/contracts/index.ts';
import { omp } from '../../../src/dialects/index.ts';
import { createOmpCodec } from '../../../src/dialects/omp/codec.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { findSchemaErrors } from '../../support/wire-schema.ts';
import { ANSWERS, ASKS, COMMANDS, EVENTS, RESULTS, streamEvents } from './corpus.ts';

const newCodec = (stream: 'full' | 'delta' = 'full') => createOmpCodec({ version: '1.2.3', stream });

function getText(frame: Frame | undefined): string {
  const decoder = new TextDecoder();
  const parts = (frame?.chunks ?? []).map((chunk: Chunk) =>
    typeof chunk === 'string' ? chunk : decoder.decode(chunk),
  );
  return parts.join('');
}

/** Parses a frame like a host does: a line is one JSON object and a newline. */
function parseFrame(frame: Frame | undefined): unknown {
  const text = getText(frame);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return JSON.parse(text);
}

describe('commands', () => {
  const rows = COMMANDS.filter(({ frame }) => commandsByName.has(frame.type));

  test.each(rows)('$frame', ({ frame, params }) => {
    const incoming = newCodec().decode({ text: JSON.stringify(frame) });
    if (incoming.kind !== 'call') throw new Error(`understood as ${incoming.kind}`);
    const { id, type, ...fields } = frame;
    expect(incoming.token).toEqual({ name: type, ...(id === undefined ? {} : { id }) });
    expect(validate(commandsByName.get(type)!.params, incoming.params)).toEqual(params ?? fields);
    expect(findSchemaErrors(`${pascalCase(type)}Command`, frame)).toEqual([]);
    expect(findSchemaErrors('HostFrame', frame)).toEqual([]);
  });

  test('every command has a row', () => {
    expect([...commandsByName.keys()].filter((name) => !COMMANDS.some(({ frame }) => frame.type === name))).toEqual([]);
  });
});

describe('UI answers', () => {
  test.each(ANSWERS)('%j', (frame) => {
    const { id, type: _, ...answer } = frame;
    expect(newCodec().decode({ text: JSON.stringify(frame) })).toEqual({ kind: 'answer', id, answer });
    expect(findSchemaErrors('ExtensionUiResponse', frame)).toEqual([]);
  });
});

describe('responses', () => {
  const { encodeReply } = newCodec();
  const onAcceptance = ['abort_and_prompt', 'continue_run', 'prompt'];
  const rows = RESULTS.filter(([command]) => commandsByName.has(command));

  test.each(rows)('%s with %j', (command, data) => {
    const frame = parseFrame(encodeReply({ name: command, id: 'r-1' }, { status: 'settled', result: data }));
    expect(frame).toEqual({ id: 'r-1', type: 'response', command, success: true, data });
    expect(findSchemaErrors(`${pascalCase(command)}Response`, frame)).toEqual([]);
  });

  test('every command with a result has a row', () => {
    const withResult = [...commandsByName.values()].filter(({ result }) => result).map(({ name }) => name);
    expect(withResult.filter((name) => !RESULTS.some(([command]) => command === name))).toEqual(onAcceptance);
  });

  const withoutResult = [...commandsByName.values()].filter(({ result }) => !result).map(({ name }) => name);
  test.each(withoutResult)('%s sends one success response without data', (name) => {
    const replies = [{ status: 'accepted' } as const, { status: 'settled', result: undefined } as const];
    const frames = replies.map((reply) => encodeReply({ name }, reply)).filter((frame) => frame !== undefined);
    expect(frames.map(parseFrame)).toEqual([{ type: 'response', command: name, success: true }]);
    expect(findSchemaErrors(`${pascalCase(name)}Response`, parseFrame(frames[0]))).toEqual([]);
  });

  test('keys are in the documented order, and the id is omitted when none was sent', () => {
    const result = { text: 'hi' };
    const token = { name: 'get_last_assistant_text' };
    expect(getText(encodeReply({ ...token, id: 7 }, { status: 'settled', result }))).toBe(
      '{"id":7,"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"hi"}}\n',
    );
    expect(getText(encodeReply(token, { status: 'settled', result }))).toBe(
      '{"type":"response","command":"get_last_assistant_text","success":true,"data":{"text":"hi"}}\n',
    );
  });

  test('a failure has the name and the id of its command', () => {
    const fault = new Fault('not_found', 'Model not found: acme/none');
    const frame = parseFrame(
      encodeReply({ name: 'set_model', id: 'r-2' }, { status: 'failed', fault, afterAccepted: false }),
    );
    expect(frame).toEqual({
      id: 'r-2',
      type: 'response',
      command: 'set_model',
      success: false,
      error: 'Model not found: acme/none',
    });
    expect(findSchemaErrors('FailureResponse', frame)).toEqual([]);
  });

  test.each(['prompt', 'abort_and_prompt', 'continue_run'])(
    '%s is replied to on acceptance, and a later failure has the same id',
    (name) => {
      const token = { name, id: 'r-3' };
      const fault = new Fault('internal', 'It broke');
      expect(parseFrame(encodeReply(token, { status: 'accepted', disposition: 'queued' }))).toEqual({
        id: 'r-3',
        type: 'response',
        command: name,
        success: true,
        data: { disposition: 'queued' },
      });
      expect(encodeReply(token, { status: 'settled', result: { disposition: 'queued' } })).toBeUndefined();
      expect(parseFrame(encodeReply(token, { status: 'failed', fault, afterAccepted: true }))).toEqual({
        id: 'r-3',
        type: 'response',
        command: name,
        success: false,
        error: 'It broke',
      });
    },
  );

  test('unknown commands and unreadable lines are replied to without an id', () => {
    const { decode } = newCodec();
    const fault = new Fault('unknown_command', 'Unknown command: fly');
    expect(
      parseFrame(encodeReply({ name: 'fly', id: 'r-4' }, { status: 'failed', fault, afterAccepted: false })),
    ).toEqual({
      type: 'response',
      command: 'fly',
      success: false,
      error: 'Unknown command: fly',
    });
    const incoming = decode({ text: '{"id":"r-5","type":' });
    if (incoming.kind !== 'refused') throw new Error(incoming.kind);
    const frame = parseFrame(
      encodeReply(incoming.token, { status: 'failed', fault: incoming.fault, afterAccepted: false }),
    );
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
    await codec.setSubagentSubscription?.('events');
    const frame = parseFrame(codec.encodeEvent(event as AgentEvent));
    expect(frame).toEqual(event);
    // An event with an id would look like a reply. Only subagent events have one.
    if (!event.type.startsWith('subagent_')) expect(frame).not.toHaveProperty('id');
    expect(findSchemaErrors(`${pascalCase(event.type)}Event`, frame)).toEqual([]);
  });

  test('every event has a row', () => {
    for (const { type } of EVENTS) declared.delete(type);
    expect([...declared]).toEqual(['message_update']);
  });

  test('message_update of every kind contains the whole message twice', () => {
    const codec = newCodec();
    const kinds = new Set<string>();
    for (const assistantMessageEvent of streamEvents()) {
      const { partial: message } = assistantMessageEvent;
      kinds.add(assistantMessageEvent.type);
      const frame = parseFrame(codec.encodeEvent({ type: 'message_update', message, assistantMessageEvent }));
      expect(frame).toEqual({ type: 'message_update', message, assistantMessageEvent });
      expect(findSchemaErrors('MessageUpdateEvent', frame)).toEqual([]);
    }
    expect(kinds.size).toBe(9);
  });

  test('message_update with --stream delta contains only the delta, and the name of a tool call', () => {
    const codec = newCodec('delta');
    for (const assistantMessageEvent of streamEvents()) {
      const { partial: message, ...rest } = assistantMessageEvent;
      const frame = parseFrame(codec.encodeEvent({ type: 'message_update', message, assistantMessageEvent }));
      const call = rest.type === 'toolcall_start' ? { id: 'call_9', toolName: 'bash' } : {};
      expect(frame).toEqual({ type: 'message_update', assistantMessageEvent: { ...rest, ...call } });
      expect(findSchemaErrors('MessageUpdateDeltaEvent', frame)).toEqual([]);
    }
  });
});

test.each(ASKS)('extension_ui_request $method', (request) => {
  const frame = parseFrame(newCodec().encodeUiRequest(request));
  expect(frame).toEqual({ type: 'extension_ui_request', ...request });
  expect(findSchemaErrors('ExtensionUiRequest', frame)).toEqual([]);
});

test('the ready frame', () => {
  const frame = parseFrame(newCodec().encodeReadyFrame());
  expect(frame).toEqual({
    ...{ type: 'ready', version: '1.2.3', protocolVersion: 1, dialect: 'omp' },
    ...{ supportedProtocolVersions: [1, 2], maxFrameBytes: 2 ** 20, maxReassembledFrameBytes: 2 ** 26 },
  });
  expect(findSchemaErrors('AgentFrame', frame)).toEqual([]);
});

test('the schema rejects undeclared fields', () => {
  expect(findSchemaErrors('PromptCommand', { type: 'prompt', message: 'x', colour: 'red' })).toEqual([
    '$.colour is not declared',
  ]);
  expect(findSchemaErrors('AgentEndEvent', { type: 'agent_end', messages: [{ role: 'user' }] })).not.toEqual([]);
  expect(findSchemaErrors('AgentStartEvent', { type: 'agent_start', id: '1' })).toEqual(['$.id is not declared']);
});
