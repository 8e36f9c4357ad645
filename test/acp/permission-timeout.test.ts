// A permission request that is not answered in time: the client of the SDK sees that it is withdrawn, and its late answer has no effect.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { select } from './acp-host.ts';
import { call, startScriptedHost } from './scripted-host.ts';

const PERMISSION = 'session/request_permission';
const NOT_RUN = 'write was not run: it needs an approval. The host did not answer within 0.2 s, which counts as no.';

test('an unanswered request is withdrawn, counts as no, and a late answer is ignored', async () => {
  const { host, sessionId, provider } = await startScriptedHost({
    args: ['--set', 'approvalTimeout=200'],
    replies: [call('write', { path: 'a.txt', content: 'A' })],
    handlers: {
      // The SDK aborts the signal when the agent withdraws the request. Then the client answers all the same.
      [PERMISSION]: (params, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(select(params, 'allow_once')));
        }),
    },
  });
  expect(await host.prompt(sessionId, 'Write')).toMatchObject({ stopReason: 'end_turn' });
  const request = host.frames.find(({ method }) => method === PERMISSION);
  const withdrawals = host.frames.filter(({ method }) => method === '$/cancel_request');
  expect(withdrawals).toMatchObject([{ sender: 'agent', params: { requestId: request?.id } }]);
  expect(host.updates('tool_call_update').at(-1)).toMatchObject({ status: 'failed', rawOutput: { text: NOT_RUN } });
  expect(JSON.stringify(provider.requests.at(-1))).toContain(NOT_RUN);

  const findResponse = () =>
    host.frames.find(({ sender, id, method }) => sender === 'client' && id === request?.id && method === undefined);
  await expect.poll(findResponse).toMatchObject({ result: { outcome: { outcome: 'selected' } } });
  // The program has read the late answer before this request.
  const count = host.frames.length;
  await host.agent.request('session/list', {});
  const replies = host.frames.slice(count).filter(({ sender }) => sender === 'agent');
  expect(replies).toMatchObject([{ result: { sessions: [{ sessionId }] } }]);
  expect(existsSync(join(host.program.cwd, 'a.txt'))).toBe(false);
});
