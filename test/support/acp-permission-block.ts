// Checks the example of a permission request in docs/acp.md: the agent sends exactly this request and accepts the response.
import { expect } from 'vitest';
import { runScenario } from '../../src/testing/index.ts';
import { createFrameChecker } from './acp-schema.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

interface PermissionRequest {
  readonly id: number;
  readonly params: {
    readonly sessionId: string;
    readonly toolCall: { readonly toolCallId: string; readonly rawInput: Record<string, unknown> };
  };
}

/** `code` has two frames: the request for a call of `bash`, and a response that rejects it with a message. */
export async function checkPermissionExchange(code: string): Promise<void> {
  const [request, response, ...others] = code.split(/\n(?=\{)/).map((text) => JSON.parse(text));
  expect(others).toEqual([]);
  const check = createFrameChecker();
  expect([...check('agent', request), ...check('client', response)]).toEqual([]);
  expect(response.id).toBe(request.id);
  await runScenario(createTranscript(request, response), { directory: createTemporaryDirectory(), dialect: 'acp' });
}

function createTranscript({ params, ...request }: PermissionRequest, response: { result: { _meta: unknown } }): string {
  const { toolCallId, rawInput } = params.toolCall;
  const { message } = (response.result._meta as { parley: { message: string } }).parley;
  const prompt = [{ type: 'text', text: 'Run the tests' }];
  const call = (id: number, method: string, callParams: object) =>
    `> ${JSON.stringify({ jsonrpc: '2.0', id, method, params: callParams })}`;
  const rawOutput = { text: `The user does not allow bash here: ${message}` };
  return [
    call(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} }),
    call(1, 'session/new', { cwd: '$cwd', mcpServers: [] }),
    '<~ {"id":1,"result":{"sessionId":"$s"}}',
    `model ${JSON.stringify({ calls: [{ id: toolCallId, name: 'bash', arguments: rawInput }] })}`,
    'model {"text":"Done."}',
    call(2, 'session/prompt', { sessionId: '$s', prompt }),
    `<~ ${JSON.stringify({ params: { update: { toolCallId, status: 'in_progress' } } })}`,
    `< ${JSON.stringify({ ...request, params: { ...params, sessionId: '$s' } })}`,
    `> ${JSON.stringify(response)}`,
    `<~ ${JSON.stringify({ params: { update: { toolCallId, status: 'failed', rawOutput } } })}`,
    '<~ {"id":2,"result":{"stopReason":"end_turn"}}',
    'expect-no-more-frames',
  ].join('\n');
}
