// Several clients of the ACP SDK and one of omp on one session of `parley serve`: loading while a run is in progress loses and repeats nothing.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { type AcpHost, connectHost, select } from '../acp/acp-host.ts';
import { createGate, startGatedProvider } from '../support/gated-provider.ts';
import { OFFLINE, type Server, startServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';

const load = (host: AcpHost, sessionId: string) =>
  host.agent.request('session/load', { sessionId, cwd: host.program.cwd, mcpServers: [] });

const updatesOf = (host: AcpHost): SessionUpdate[] =>
  host.frames
    .filter(({ method }) => method === 'session/update')
    .map(({ params }) => (params as { update: SessionUpdate }).update);

/** What a client shows: texts joined by kind, and the tool calls with their last status. */
function render(host: AcpHost) {
  const lines: { kind: string; text: string }[] = [];
  const calls = new Map<string, string[]>();
  for (const update of updatesOf(host)) {
    if ('content' in update && update.sessionUpdate.endsWith('_chunk')) {
      const { content } = update as { content: { text?: string } };
      const last = lines.at(-1);
      if (last?.kind === update.sessionUpdate) last.text += content.text ?? '';
      else lines.push({ kind: update.sessionUpdate, text: content.text ?? '' });
    }
    if (update.sessionUpdate === 'tool_call') {
      expect(calls.has(update.toolCallId), `${update.toolCallId} is announced once`).toBe(false);
      calls.set(update.toolCallId, [update.status ?? '']);
      lines.push({ kind: 'call', text: update.toolCallId });
    }
    if (update.sessionUpdate === 'tool_call_update') calls.get(update.toolCallId)?.push(update.status ?? '');
  }
  const shown = lines.map(({ kind, text }) =>
    kind === 'call' ? `call ${text} ${calls.get(text)?.at(-1)}` : `${kind} ${text}`,
  );
  return shown.map((line) => line.replace('_message_chunk', '').replace('agent_thought_chunk', 'thought'));
}

/** Resolves when the client has received everything so far: its request is answered after the events before it. */
const settle = (host: AcpHost, sessionId: string) => host.agent.request('_parley/get_state', { sessionId });

describe('loading a session while the model answers', () => {
  test('shows the message so far, and then the rest', async () => {
    const gates = [createGate(), createGate()] as const;
    const provider = await startGatedProvider([
      [
        { thinking: 'hm' },
        { text: 'one ' },
        { gate: gates[0] },
        { text: 'two ' },
        { gate: gates[1] },
        { text: 'three' },
      ],
    ]);
    const server = await startServer(provider.flags, { directories: provider.directories });
    const first = await connectHost(server, { client: 'first' });
    const { sessionId } = await first.open();
    const prompted = first.prompt(sessionId, 'Count.');
    await gates[0].reached;
    await first.waitForUpdate('the first word', (update) => JSON.stringify(update).includes('one '));
    const second = await connectHost(server, { client: 'second' });
    await load(second, sessionId);
    expect(render(second)).toEqual(['user Count.', 'thought hm', 'agent one ']);
    gates[0].open();
    await gates[1].reached;
    await second.waitForUpdate('the second word', (update) => JSON.stringify(update).includes('two '));
    const third = await connectHost(server, { client: 'third' });
    await load(third, sessionId);
    gates[1].open();
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
    for (const host of [first, second, third]) await settle(host, sessionId);
    expect(render(first)).toEqual(['thought hm', 'agent one two three']);
    expect(render(second)).toEqual(['user Count.', 'thought hm', 'agent one two three']);
    expect(render(third)).toEqual(render(second));
    const late = await connectHost(server);
    await load(late, sessionId);
    expect(render(late)).toEqual(render(second));
  });

  test('in the second run shows the first one once', async () => {
    const gate = createGate();
    const provider = await startGatedProvider([[{ text: 'alpha' }], [{ text: 'be' }, { gate }, { text: 'ta' }]]);
    const server = await startServer(provider.flags, { directories: provider.directories });
    const first = await connectHost(server);
    const { sessionId } = await first.open();
    await first.prompt(sessionId, 'A');
    const prompted = first.prompt(sessionId, 'B');
    await gate.reached;
    await first.waitForUpdate('the delta', (update) => JSON.stringify(update).includes('"be"'));
    const second = await connectHost(server);
    await load(second, sessionId);
    expect(render(second)).toEqual(['user A', 'agent alpha', 'user B', 'agent be']);
    gate.open();
    await prompted;
    await settle(second, sessionId);
    expect(render(second)).toEqual(['user A', 'agent alpha', 'user B', 'agent beta']);
  });
});

test('loading while a tool runs shows the call, and then its result', async () => {
  const gate = createGate();
  const call = {
    id: 'call_1',
    name: 'bash',
    arguments: { command: 'echo started; until [ -e go ]; do sleep 0.05; done' },
  };
  const provider = await startGatedProvider([
    [{ text: 'Running.' }, { call }],
    [{ gate }, { text: 'Ended.' }],
  ]);
  const server = await startServer(provider.flags, { directories: provider.directories });
  const first = await connectHost(server);
  const { sessionId } = await first.open();
  const prompted = first.prompt(sessionId, 'Run it.');
  await first.waitForUpdate('the output', (update) => JSON.stringify(update).includes('started\\n'));
  const second = await connectHost(server);
  await load(second, sessionId);
  expect(render(second)).toEqual(['user Run it.', 'agent Running.', 'call call_1 in_progress']);
  await connectWebSocket(server, { session: sessionId }).then((omp) => omp.call({ type: 'bash', command: 'touch go' }));
  await gate.reached;
  const third = await connectHost(server);
  await load(third, sessionId);
  gate.open();
  await prompted;
  for (const host of [first, second, third]) await settle(host, sessionId);
  const whole = ['user Run it.', 'agent Running.', 'call call_1 completed', 'agent Ended.'];
  expect(render(first)).toEqual(whole.slice(1));
  expect(render(second)).toEqual(whole);
  expect(render(third)).toEqual(whole);
});

test('clients that load at many different times of a run all show the same', async () => {
  const parts = Array.from({ length: 300 }, (_, index) => ({ text: `${index} ` }));
  const call = (id: string) => ({
    call: { id, name: 'bash', arguments: { command: 'for n in 1 2 3; do echo $n; sleep 0.02; done' } },
  });
  // The run does not end before two of them are there.
  const gate = createGate();
  const last = [...parts.slice(0, 150), { gate }, ...parts.slice(150)];
  const provider = await startGatedProvider([[...parts, call('call_1')], [...parts, call('call_2')], last]);
  const server = await startServer(provider.flags, { directories: provider.directories });
  const first = await connectHost(server);
  const { sessionId } = await first.open();
  let isSettled = false;
  const prompted = first.prompt(sessionId, 'Count.').finally(() => {
    isSettled = true;
  });
  const hosts: AcpHost[] = [];
  while (!isSettled && hosts.length < 60) {
    const host = await connectHost(server);
    await load(host, sessionId);
    if (hosts.push(host) === 2) gate.open();
  }
  await prompted;
  for (const host of [first, ...hosts]) await settle(host, sessionId);
  const count = parts.map(({ text }) => text).join('');
  const whole = [
    'user Count.',
    `agent ${count}`,
    'call call_1 completed',
    `agent ${count}`,
    'call call_2 completed',
    `agent ${count}`,
  ];
  expect(render(first)).toEqual(whole.slice(1));
  expect(hosts.length).toBeGreaterThanOrEqual(2);
  for (const host of hosts) expect(render(host)).toEqual(whole);
});

describe('two clients of acp and one of omp', () => {
  async function connectThree(server: Server, handlers: Parameters<typeof connectHost>[2] = {}) {
    const first = await connectHost(server, { client: 'first' }, handlers);
    const { sessionId } = await first.open();
    const second = await connectHost(server, { client: 'second' }, handlers);
    await load(second, sessionId);
    const omp = await connectWebSocket(server, { session: sessionId, client: 'omp', stream: 'delta' });
    await omp.next({ type: 'session_attached' });
    return { first, second, omp, sessionId };
  }

  test('see the prompts of one another, and each gets the response to its own', async () => {
    const server = await startServer();
    const { first, second, omp, sessionId } = await connectThree(server);
    expect(await first.prompt(sessionId, 'say `a`')).toMatchObject({ stopReason: 'end_turn' });
    expect(await second.prompt(sessionId, 'say `b`')).toMatchObject({ stopReason: 'end_turn' });
    await omp.call({ type: 'prompt', message: 'say `c`' });
    await omp.next({ type: 'session_settled', client: 'omp' });
    for (const host of [first, second]) await settle(host, sessionId);
    const shown = (host: AcpHost) => render(host).filter((line) => !line.startsWith('thought'));
    expect(shown(first)).toEqual(['agent a', 'user say `b`', 'agent b', 'user say `c`', 'agent c']);
    expect(shown(second)).toEqual(['user say `a`', 'agent a', 'agent b', 'user say `c`', 'agent c']);
    const users = omp.frames.filter(
      ({ type, message }) => type === 'message_end' && (message as { role: string }).role === 'user',
    );
    expect(users.map(({ client }) => client)).toEqual(['first', 'second', 'omp']);
    const meta = first.frames
      .filter(({ method }) => method === 'session/update')
      .map(({ params }) => (params as { _meta?: object })._meta);
    expect(meta.filter(Boolean)).toContainEqual({ parley: { seq: expect.any(Number), client: 'second' } });
  });

  test('are all asked, and the first answer counts', async () => {
    const server = await startServer([...OFFLINE, '--approval-mode', 'ask']);
    const waiting = new Promise<never>(() => {});
    const first = await connectHost(
      server,
      { client: 'first' },
      { handlers: { 'session/request_permission': () => waiting } },
    );
    const { sessionId } = await first.open();
    const prompted = first.prompt(sessionId, 'run `echo ran`');
    await first.waitFor('the question', ({ method }) => method === 'session/request_permission');
    const second = await connectHost(
      ...([server, { client: 'second' }, { handlers: { 'session/request_permission': () => waiting } }] as const),
    );
    await load(second, sessionId);
    await second.waitFor('the question', ({ method }) => method === 'session/request_permission');
    const omp = await connectWebSocket(server, { session: sessionId, client: 'omp' });
    const { id } = await omp.next({ type: 'extension_ui_request', method: 'select' });
    omp.send({ type: 'extension_ui_response', id, value: 'allow' });
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
    for (const host of [first, second]) {
      const [question] = host.frames.filter(({ method }) => method === 'session/request_permission');
      await host.waitFor(
        'that the question is withdrawn',
        ({ method, params }) =>
          method === '$/cancel_request' && (params as { requestId: unknown }).requestId === question?.id,
      );
    }
  });

  test('an answer of an acp client withdraws the question from the others', async () => {
    const server = await startServer([...OFFLINE, '--approval-mode', 'ask']);
    const handlers = {
      'session/request_permission': (params: Record<string, unknown>) => select(params, 'allow_once'),
    };
    const first = await connectHost(server, { client: 'first' }, { handlers });
    const { sessionId } = await first.open();
    const omp = await connectWebSocket(server, { session: sessionId, client: 'omp' });
    await omp.next({ type: 'session_attached' });
    expect(await first.prompt(sessionId, 'run `echo ran`')).toMatchObject({ stopReason: 'end_turn' });
    const asked = await omp.next({ type: 'extension_ui_request', method: 'select' });
    expect(await omp.next({ method: 'cancel' })).toMatchObject({ targetId: asked.id, answeredBy: 'first' });
  });
});

test('resuming while a run is in progress sends the later updates only', async () => {
  const gate = createGate();
  const provider = await startGatedProvider([[{ text: 'one ' }, { gate }, { text: 'two' }]]);
  const server = await startServer(provider.flags, { directories: provider.directories });
  const first = await connectHost(server);
  const { sessionId } = await first.open();
  const prompted = first.prompt(sessionId, 'Count.');
  await gate.reached;
  await first.waitForUpdate('the first word', (update) => JSON.stringify(update).includes('one '));
  const second = await connectHost(server);
  await second.agent.request('session/resume', { sessionId, cwd: second.program.cwd, mcpServers: [] });
  expect(render(second)).toEqual([]);
  gate.open();
  await prompted;
  await settle(second, sessionId);
  expect(render(second)).toEqual(['agent two']);
});

test('a client that leaves does not stop the run, and its terminals are not used any more', async () => {
  const gate = createGate();
  const call = { id: 'call_1', name: 'bash', arguments: { command: 'echo from the server' } };
  const provider = await startGatedProvider([[{ gate }, { call }], [{ text: 'Ended.' }]]);
  const server = await startServer(provider.flags, { directories: provider.directories });
  const first = await connectHost(server);
  const { sessionId } = await first.open();
  const second = await connectHost(server, {}, { capabilities: { terminal: true } });
  await load(second, sessionId);
  const prompted = first.prompt(sessionId, 'Run it.');
  await gate.reached;
  second.socket.cut();
  gate.open();
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(JSON.stringify(updatesOf(first))).toContain('from the server');
});
