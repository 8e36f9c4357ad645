// Calls of host tools that cannot be sent: aborted before the call, host closed, dialect without host tools.
import { expect, test } from 'vitest';
import type { Codec, Frame } from '../../src/contracts/index.ts';
import type { HostRequestFrame } from '../../src/protocol/index.ts';
import { createHostRequests } from '../../src/server/host-requests.ts';
import { createCountingIds } from '../../src/testing/index.ts';

const call = { toolCallId: 'c1', toolName: 'open_tab', arguments: {} };

function createCalls(canEncode = true) {
  const sent: Frame[] = [];
  const encodeHostRequest = (frame: HostRequestFrame): Frame => ({ chunks: [frame.type], bytes: 1 });
  const codec = (canEncode ? { encodeHostRequest } : {}) as Codec;
  return { sent, calls: createHostRequests(createCountingIds(), codec, (frame) => void sent.push(frame)) };
}

test('a call that is already aborted is not sent to the host', async () => {
  const { sent, calls } = createCalls();
  const options = { signal: AbortSignal.abort(), update() {} };
  await expect(calls.callTool(call, options)).rejects.toThrow('Tool execution was aborted.');
  expect(sent).toEqual([]);
});

test('the message says whether the host has disconnected or the dialect has no host tools', async () => {
  const options = { signal: new AbortController().signal, update() {} };
  const { calls } = createCalls();
  calls.close();
  await expect(calls.callTool(call, options)).rejects.toThrow('The host that runs this tool has disconnected.');
  await expect(createCalls(false).calls.callTool(call, options)).rejects.toThrow(
    'This dialect does not support host tools',
  );
});
