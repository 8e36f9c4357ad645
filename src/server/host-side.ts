// First floor, server: the host as commands see it. What it takes to have work done there is loaded when there is some.
import { Fault } from '../base/index.ts';
import type { Codec, Frame, HostSide, Ids } from '../contracts/index.ts';
import type { HostToolNews } from '../protocol/index.ts';
import type { HostWork } from './host-work.ts';

export interface HostFront extends HostSide {
  take(news: HostToolNews): void;
  close(): void;
}

export function createHostSide(ids: Ids, codec: Codec, send: (frame: Frame) => void): HostFront {
  let work: HostWork | undefined;
  let closed = false;
  return {
    async carryOut(call, options) {
      const { createHostWork } = await import('./host-work.ts');
      work ??= createHostWork(ids, codec, send);
      if (closed) work.close();
      return work.carryOut(call, options);
    },
    listenTo(events) {
      if (!codec.listenTo) throw new Fault('refused', 'This dialect tells every event');
      codec.listenTo(events ? new Set(events) : undefined);
    },
    async watchSubagents(level) {
      if (!codec.watchSubagents) throw new Fault('refused', 'This dialect tells nothing of what subagents do');
      await codec.watchSubagents(level);
    },
    // Before the first call there is nothing to be told.
    take: (news) => work?.take(news),
    close() {
      closed = true;
      work?.close();
    },
  };
}
