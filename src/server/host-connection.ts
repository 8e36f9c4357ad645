// The connected host for commands. The code for requests to the host is loaded with the first one.
import { Fault } from '../base/index.ts';
import type { Codec, Frame, HostConnection, IdGenerator } from '../contracts/index.ts';
import type { HostResponseFrame } from '../protocol/index.ts';
import type { HostRequests } from './host-requests.ts';

export interface ServerHostConnection extends HostConnection {
  receive(frame: HostResponseFrame): void;
  close(): void;
}

export interface HostConnectionOptions {
  idGenerator: IdGenerator;
  codec: Codec;
  send(frame: Frame): void;
  readSchema: HostConnection['readSchema'] | undefined;
}

export function createHostConnection({
  idGenerator,
  codec,
  send,
  readSchema,
}: HostConnectionOptions): ServerHostConnection {
  let requests: HostRequests | undefined;
  let closed = false;
  const loadRequests = async (): Promise<HostRequests> => {
    const { createHostRequests } = await import('./host-requests.ts');
    requests ??= createHostRequests(idGenerator, codec, send);
    if (closed) requests.close();
    return requests;
  };
  return {
    callTool: async (call, options) => (await loadRequests()).callTool(call, options),
    requestUri: async (request, signal) => (await loadRequests()).requestUri(request, signal),
    setEventFilter(events) {
      if (!codec.setEventFilter) throw new Fault('refused', 'This dialect does not support event filters');
      codec.setEventFilter(events ? new Set(events) : undefined);
    },
    async setSubagentSubscription(level) {
      if (!codec.setSubagentSubscription)
        throw new Fault('refused', 'This dialect does not support subagent subscriptions');
      await codec.setSubagentSubscription(level);
    },
    async enableChunks() {
      if (!codec.enableChunks) throw new Fault('refused', 'This dialect has only one protocol version');
      await codec.enableChunks();
    },
    async readSchema() {
      if (!readSchema) throw new Fault('refused', 'The schema is not available here');
      return readSchema();
    },
    // Before the first call there is nothing that a frame could answer.
    receive: (frame) => requests?.receive(frame),
    close() {
      closed = true;
      requests?.close();
    },
  };
}
