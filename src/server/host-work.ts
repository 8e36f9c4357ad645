// First floor, server: work that the host does for the agent. Late and unknown news do no harm. Loaded with the first such call.
import { deferred, Fault } from '../base/index.ts';
import type { Codec, Frame, HostSide, Ids, ToolResult } from '../contracts/index.ts';
import type { HostToolNews } from '../protocol/index.ts';
import { hostedResult } from './hosted-result.ts';

interface Open {
  news(news: HostToolNews): void;
  fail(fault: Fault): void;
}

export interface HostWork extends Pick<HostSide, 'carryOut'> {
  take(news: HostToolNews): void;
  /** The host is gone: nothing that it was asked to do will be done. */
  close(): void;
}

const GONE = 'The host that has this tool is gone';

export function createHostWork(ids: Ids, codec: Codec, send: (frame: Frame) => void): HostWork {
  const open = new Map<string, Open>();
  let closed = false;
  return {
    async carryOut(call, { signal, update }) {
      if (closed || !codec.hosted) throw new Fault('refused', GONE);
      const id = ids.uuid();
      const { promise, resolve, reject } = deferred<ToolResult>();
      const news = (said: HostToolNews) => {
        try {
          if (said.type === 'host_tool_update') update(hostedResult(said.partialResult));
          else resolve({ ...hostedResult(said.result), ...(said.isError ? { isError: true } : {}) });
        } catch (thrown) {
          reject(thrown);
        }
      };
      const cancel = () => {
        if (codec.hosted) send(codec.hosted({ type: 'host_tool_cancel', id: ids.uuid(), targetId: id }));
        reject(new Fault('aborted', 'Tool execution was aborted.'));
      };
      open.set(id, { news, fail: reject });
      signal.addEventListener('abort', cancel, { once: true });
      send(codec.hosted({ type: 'host_tool_call', id, ...call }));
      try {
        return await promise;
      } finally {
        open.delete(id);
        signal.removeEventListener('abort', cancel);
      }
    },
    take: (news) => open.get(news.id)?.news(news),
    close() {
      closed = true;
      for (const { fail } of open.values()) fail(new Fault('refused', GONE));
    },
  };
}
