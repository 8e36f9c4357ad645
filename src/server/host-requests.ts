// Requests to the host: calls of its tools, and reading and writing of its URIs. Late frames and frames with unknown ids are ignored.
import { array, object, optional, safeParse, string, union, unknown } from 'valibot';
import { createDeferred, describeType, Fault } from '../base/index.ts';
import type { Codec, Frame, HostConnection, HostUriContent, IdGenerator, ToolResult } from '../contracts/index.ts';
import {
  type HostRequestFrame,
  type HostResponseFrame,
  type HostToolResponseFrame,
  hostUriResult,
  incomingImage,
  textContent,
} from '../protocol/index.ts';

interface PendingRequest {
  onFrame(frame: HostResponseFrame): void;
  fail(fault: Fault): void;
}

export interface HostRequests extends Pick<HostConnection, 'callTool' | 'requestUri'> {
  receive(frame: HostResponseFrame): void;
  /** The host has closed: all pending requests fail. */
  close(): void;
}

interface RequestOptions<T> {
  signal: AbortSignal;
  createFrame(id: string): HostRequestFrame;
  cancelType: 'host_tool_cancel' | 'host_uri_cancel';
  /** Returns the result, or `undefined` for an update. Throws for an invalid frame. */
  parseFrame(frame: HostResponseFrame): T | undefined;
}

const HOST_CLOSED_MESSAGE = 'The host that runs this tool has disconnected.';
const ABORTED_MESSAGE = 'Tool execution was aborted.';

export function createHostRequests(idGenerator: IdGenerator, codec: Codec, send: (frame: Frame) => void): HostRequests {
  const pending = new Map<string, PendingRequest>();
  let closed = false;
  const sendRequest = async <T>({ signal, createFrame, cancelType, parseFrame }: RequestOptions<T>): Promise<T> => {
    const { encodeHostRequest } = codec;
    if (!encodeHostRequest) throw new Fault('refused', 'This dialect does not support host tools');
    if (closed) throw new Fault('refused', HOST_CLOSED_MESSAGE);
    if (signal.aborted) throw new Fault('aborted', ABORTED_MESSAGE);
    const id = idGenerator.uuid();
    const { promise, resolve, reject } = createDeferred<T>();
    const onFrame = (frame: HostResponseFrame) => {
      try {
        const result = parseFrame(frame);
        if (result !== undefined) resolve(result);
      } catch (thrown) {
        reject(thrown);
      }
    };
    const cancel = () => {
      send(encodeHostRequest({ type: cancelType, id: idGenerator.uuid(), targetId: id }));
      reject(new Fault('aborted', ABORTED_MESSAGE));
    };
    pending.set(id, { onFrame, fail: reject });
    signal.addEventListener('abort', cancel, { once: true });
    send(encodeHostRequest(createFrame(id)));
    try {
      return await promise;
    } finally {
      pending.delete(id);
      signal.removeEventListener('abort', cancel);
    }
  };
  return {
    callTool: (call, { signal, update }) =>
      sendRequest({
        signal,
        createFrame: (id) => ({ type: 'host_tool_call', id, ...call }),
        cancelType: 'host_tool_cancel',
        parseFrame: (frame) => readToolResponse(frame as HostToolResponseFrame, update),
      }),
    requestUri: (request, signal) =>
      sendRequest({
        signal,
        createFrame: (id) => ({ type: 'host_uri_request', id, ...request }),
        cancelType: 'host_uri_cancel',
        parseFrame: (frame) => readUriResponse(frame, request),
      }),
    receive: (frame) => pending.get(frame.id)?.onFrame(frame),
    close() {
      closed = true;
      for (const { fail } of pending.values()) fail(new Fault('refused', HOST_CLOSED_MESSAGE));
    },
  };
}

function readToolResponse(frame: HostToolResponseFrame, update: (partial: ToolResult) => void): ToolResult | undefined {
  if (frame.type !== 'host_tool_update')
    return { ...parseHostToolResult(frame.result), ...(frame.isError ? { isError: true } : {}) };
  update(parseHostToolResult(frame.partialResult));
  return undefined;
}

function readUriResponse(
  frame: HostResponseFrame,
  { operation, url }: Parameters<HostConnection['requestUri']>[0],
): HostUriContent {
  const parsed = safeParse(hostUriResult, frame);
  if (!parsed.success) throw new Fault('tool_failed', `The host returned an invalid result for ${url}`);
  const { content, notes = [], isError, error } = parsed.output;
  if (isError) throw new Fault('tool_failed', error ?? content ?? `The host could not ${operation} ${url}`);
  if (operation === 'read' && content === undefined)
    throw new Fault('tool_failed', `The host returned no content for ${url}`);
  return { content: content ?? '', notes };
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
