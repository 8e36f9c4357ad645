// Calls of tools that the host runs. Late frames and frames with unknown ids are ignored.
import { array, object, optional, safeParse, string, union, unknown } from 'valibot';
import { createDeferred, describeType, Fault } from '../base/index.ts';
import type { Codec, Frame, HostConnection, IdGenerator, ToolResult } from '../contracts/index.ts';
import { type HostToolResponseFrame, incomingImage, textContent } from '../protocol/index.ts';

interface PendingHostToolCall {
  onFrame(frame: HostToolResponseFrame): void;
  fail(fault: Fault): void;
}

export interface HostToolCalls extends Pick<HostConnection, 'callTool'> {
  receive(frame: HostToolResponseFrame): void;
  /** The host has closed: all pending calls fail. */
  close(): void;
}

const HOST_CLOSED_MESSAGE = 'The host that runs this tool has disconnected.';
const ABORTED_MESSAGE = 'Tool execution was aborted.';

export function createHostToolCalls(
  idGenerator: IdGenerator,
  codec: Codec,
  send: (frame: Frame) => void,
): HostToolCalls {
  const pending = new Map<string, PendingHostToolCall>();
  let closed = false;
  return {
    async callTool(call, { signal, update }) {
      if (!codec.encodeHostToolFrame) throw new Fault('refused', 'This dialect does not support host tools');
      if (closed) throw new Fault('refused', HOST_CLOSED_MESSAGE);
      if (signal.aborted) throw new Fault('aborted', ABORTED_MESSAGE);
      const id = idGenerator.uuid();
      const { promise, resolve, reject } = createDeferred<ToolResult>();
      const onFrame = (frame: HostToolResponseFrame) => {
        try {
          if (frame.type === 'host_tool_update') update(parseHostToolResult(frame.partialResult));
          else resolve({ ...parseHostToolResult(frame.result), ...(frame.isError ? { isError: true } : {}) });
        } catch (thrown) {
          reject(thrown);
        }
      };
      const cancel = () => {
        if (codec.encodeHostToolFrame)
          send(codec.encodeHostToolFrame({ type: 'host_tool_cancel', id: idGenerator.uuid(), targetId: id }));
        reject(new Fault('aborted', ABORTED_MESSAGE));
      };
      pending.set(id, { onFrame, fail: reject });
      signal.addEventListener('abort', cancel, { once: true });
      send(codec.encodeHostToolFrame({ type: 'host_tool_call', id, ...call }));
      try {
        return await promise;
      } finally {
        pending.delete(id);
        signal.removeEventListener('abort', cancel);
      }
    },
    receive: (frame) => pending.get(frame.id)?.onFrame(frame),
    close() {
      closed = true;
      for (const { fail } of pending.values()) fail(new Fault('refused', HOST_CLOSED_MESSAGE));
    },
  };
}

const resultSchema = union([
  string(),
  object({ content: array(union([textContent, incomingImage])), details: optional(unknown()) }),
]);

/** Accepts an object with content blocks, or a string. */
function parseHostToolResult(value: unknown): ToolResult {
  const { success, output } = safeParse(resultSchema, value);
  if (!success) {
    const expected = 'a string or an object with a content array';
    throw new Fault(
      'tool_failed',
      `The host returned an invalid tool result: expected ${expected} (got ${describeType(value)})`,
    );
  }
  return typeof output === 'string' ? { content: [{ type: 'text', text: output }] } : (output as ToolResult);
}
