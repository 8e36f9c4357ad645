// The connected host for commands. The code for host tool calls is loaded with the first call.
import { Fault } from '../base/index.ts';
import type { Codec, Frame, HostConnection, IdGenerator } from '../contracts/index.ts';
import type { HostToolResponseFrame } from '../protocol/index.ts';
import type { HostToolCalls } from './host-tool-calls.ts';

export interface ServerHostConnection extends HostConnection {
  receive(frame: HostToolResponseFrame): void;
  close(): void;
}

export function createHostConnection(
  idGenerator: IdGenerator,
  codec: Codec,
  send: (frame: Frame) => void,
): ServerHostConnection {
  let toolCalls: HostToolCalls | undefined;
  let closed = false;
  return {
    async callTool(call, options) {
      const { createHostToolCalls } = await import('./host-tool-calls.ts');
      toolCalls ??= createHostToolCalls(idGenerator, codec, send);
      if (closed) toolCalls.close();
      return toolCalls.callTool(call, options);
    },
    setEventFilter(events) {
      if (!codec.setEventFilter) throw new Fault('refused', 'This dialect does not support event filters');
      codec.setEventFilter(events ? new Set(events) : undefined);
    },
    async setSubagentSubscription(level) {
      if (!codec.setSubagentSubscription)
        throw new Fault('refused', 'This dialect does not support subagent subscriptions');
      await codec.setSubagentSubscription(level);
    },
    // Before the first call there is nothing that a frame could answer.
    receive: (frame) => toolCalls?.receive(frame),
    close() {
      closed = true;
      toolCalls?.close();
    },
  };
}
