// What a session reports while it is being opened reaches the client after the response that names the session.
import { expect, test } from 'vitest';
import type { AgentSession, CallToken, Frame } from '../../../src/contracts/index.ts';
import { createAcpCodec } from '../../../src/dialects/acp/codec.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { joinChunks } from '../frame-text.ts';

function listFrames(first: Frame | undefined): Record<string, unknown>[] {
  const frames: Record<string, unknown>[] = [];
  for (let frame = first; frame; frame = frame.followedBy) frames.push(JSON.parse(joinChunks(frame.chunks)));
  return frames;
}

test('notices are sent once, after the response; other events before it are not sent', () => {
  const codec = createAcpCodec({ version: '0', stream: 'delta' });
  const session = { id: 's1', cwd: '/w', history: { messages: () => [] } } as unknown as AgentSession;
  const call = (id: number, method: string, params: object) =>
    codec.decode({ text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }) as { token: CallToken };
  call(1, 'initialize', { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } });
  const { token } = call(2, 'session/new', { cwd: '/w', mcpServers: [] });
  const notice: AgentEvent = { type: 'notice', level: 'warning', message: 'The extension is broken.' };
  expect(codec.encodeEvent(notice, session)).toBe(undefined);
  expect(codec.encodeEvent({ type: 'session_info_changed', name: 'x' }, session)).toBe(undefined);
  const opened = { session, sessionId: 's1', result: { sessionId: 's1' } };
  expect(listFrames(codec.encodeReply(token, { status: 'settled', result: opened }))).toMatchObject([
    { id: 2, result: { sessionId: 's1' } },
    { method: 'session/update', params: { update: { sessionUpdate: 'notice', title: 'The extension is broken.' } } },
  ]);
  expect(listFrames(codec.encodeEvent(notice, session))).toHaveLength(1);
});
