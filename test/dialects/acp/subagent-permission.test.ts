// A permission request for a call of a subagent names the call by the id that the client knows.
import { expect, test } from 'vitest';
import type { AgentSession, CallToken, Frame } from '../../../src/contracts/index.ts';
import { createAcpCodec } from '../../../src/dialects/acp/codec.ts';
import type { AgentEvent, UiRequest } from '../../../src/protocol/index.ts';
import { joinChunks } from '../frame-text.ts';
import { validate } from './schema-validator.ts';
import { CWD, startCall } from './updates/updates-fixture.ts';

const parse = (frame: Frame | undefined) => JSON.parse(joinChunks(frame?.chunks ?? []));

test('the request has the id of the tool_call update', () => {
  const codec = createAcpCodec({ version: '0', stream: 'delta' });
  const call = (method: string, params: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return codec.decode({ text }) as { token: CallToken };
  };
  const session = { id: 's1', cwd: CWD, history: { messages: () => [] } } as unknown as AgentSession;
  call('initialize', { protocolVersion: 1 });
  const { token } = call('session/new', { cwd: CWD, mcpServers: [] });
  codec.encodeReply(token, { status: 'settled', result: { session, sessionId: 's1', result: {} } });

  const payload = { id: 'One', index: 0, agent: 'task', agentSource: 'bundled', parentToolCallId: 'c1' } as const;
  const events: AgentEvent[] = [
    startCall('c1', 'task', { agent: 'task' }),
    { type: 'subagent_lifecycle', payload: { ...payload, status: 'started' } },
    { type: 'subagent_event', payload: { id: 'One', event: startCall('d1', 'write', { path: 'a', content: 'x' }) } },
  ];
  const shown = events.map((event) => codec.encodeEvent(event, session)).at(-1);
  const toolCall = { toolCallId: 'd1', toolName: 'write', args: { path: 'a', content: 'x' }, cwd: CWD };
  const request = { id: 'u1', method: 'select', title: 'Allow write?', options: ['allow', 'deny'], toolCall };
  const { method, params } = parse(codec.encodeUiRequest(request as unknown as UiRequest, session));
  expect(method).toBe('session/request_permission');
  validate('RequestPermissionRequest', params);
  expect(params.toolCall.toolCallId).toBe('One/d1');
  expect(parse(shown).params.update.toolCallId).toBe('One/d1');
});
