// Calls of host tools that cannot be sent: aborted before the call, host closed, dialect without host tools.
import { expect, test } from 'vitest';
import type { Codec, Frame } from '../../src/contracts/index.ts';
import type { HostToolRequestFrame } from '../../src/protocol/index.ts';
import { createHostToolCalls } from '../../src/server/host-tool-calls.ts';
import { createCountingIds } from '../../src/testing/index.ts';

const call = { toolCallId: 'c1', toolName: 'open_tab', arguments: {} };

function createCalls(canEncode = true) {
  const sent: Frame[] = [];
  const encodeHostToolFrame = (frame: HostToolRequestFrame): Frame => ({ chunks: [frame.type], bytes: 1 });
  const codec = (canEncode ? { encodeHostToolFrame } : {}) as Codec;
  return { sent, calls: createHostToolCalls(createCountingIds(), codec, (frame) => void sent.push(frame)) };
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
