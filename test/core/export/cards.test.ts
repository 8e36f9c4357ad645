// A tool call and its result are one card: name, arguments, status, duration, output.
import { expect, test } from 'vitest';
import { answer, call, type Raw, renderPlain, result, splitCards, toSession, toText, user } from './export-session.ts';

const renderCards = async (...bodies: Raw[]) => splitCards(await renderPlain(toSession(bodies)));

test('results of parallel calls are in the cards of their calls, in the order of the calls', async () => {
  const calls = [
    call('a', 'bash', { command: 'first' }),
    call('b', 'bash', { command: 'second' }),
    call('c', 'bash', { command: 'third' }),
  ];
  const page = await renderPlain(
    toSession([answer(calls), result('c', 'out three'), user('Stop'), result('a', 'out one'), result('b', 'out two')]),
  );
  const cards = splitCards(page).map(toText);
  expect(cards).toHaveLength(3);
  expect(cards[0]).toMatch(/bash first .*ok.* out one/);
  expect(cards[1]).toMatch(/bash second .*ok.* out two/);
  expect(cards[2]).toMatch(/bash third .*ok.* out three/);
  expect(page.match(/<article/g)).toHaveLength(2);
  // Links to the entry of a result still work.
  expect(page).toContain('<div class="outcome" id="e-e3" data-part="3">');
});

test('the head of a card shows the arguments; the list of arguments keeps line breaks', async () => {
  const args = { path: 'a.ts', edits: [1, 2], newText: 'one\ntwo', isForced: true };
  const [card = ''] = await renderCards(answer([call('a', 'edit', args)]), result('a', 'done'));
  expect(toText(card)).toMatch(/edit a\.ts edits: 2 items newText: 2 lines isForced: true/);
  expect(card).toContain('<span class="fold">4 arguments · path, edits, newText (2 lines), isForced</span>');
  expect(card).toContain('<dt>newText</dt><dd><pre class="code"><code>one\ntwo</code></pre></dd>');
  const [short = ''] = await renderCards(answer([call('a', 'ls', { path: 'src' })]), result('a', 'x'));
  expect(short).not.toContain('argument');
});

test.each([
  ['ok', result('a', 'fine')],
  ['error', result('a', 'Command exited with code 1', { isError: true })],
  ['aborted', result('a', 'part of it\n\nCommand aborted', { isError: true })],
  ['aborted', result('a', 'Tool execution was aborted.', { isError: true })],
  ['ok', result('a', 'The transaction was aborted')],
  ['error', result('a', 'text', { details: { results: [{ id: 'T', agent: 'task', exitCode: 1 }] } })],
  ['aborted', result('a', 'text', { details: { results: [{ id: 'T', agent: 'task', exitCode: 1, aborted: true }] } })],
])('status %s', async (status, outcome) => {
  const [card = ''] = await renderCards(answer([call('a', 'bash', { command: 'x' })]), outcome);
  expect(/<span class="status">([^<]*)</.exec(card)?.[1]).toBe(status);
  expect(card.startsWith(`${status}"`)).toBe(true);
});

test.each([
  ['toolUse', 'No result: the session file ends before it, or the run was interrupted.'],
  ['aborted', 'No result: the answer was aborted.'],
  ['error', 'No result: the model request failed.'],
])('a call without a result says so after %s', async (stopReason, text) => {
  const [card = ''] = await renderCards(answer([call('a', 'bash', { command: 'x' })], { stopReason }));
  expect(toText(card)).toContain(`no result ${text}`);
});

test('a result without a call is a card of its own', async () => {
  const [card = ''] = await renderCards(user('hi'), result('zz', 'lost output'));
  expect(toText(card)).toMatch(/bash ok The call of this result is not in the session file\. lost output/);
});

test('the duration comes from the details of the result, otherwise from the log', async () => {
  const calls = [call('a', 'bash', { command: 'x' }), call('b', 'bash', { command: 'y' }), call('c', 'task', {})];
  const cards = await renderCards(
    answer(calls),
    result('a', '1'),
    result('b', '2'),
    result('c', '3', { details: { totalDurationMs: 65_000 } }),
  );
  expect(cards.map((card) => /<span class="took">([^<]*)</.exec(card)?.[1])).toEqual(['1.0 s', '1.0 s', '1 min 5 s']);
});

test('folded output says what it is', async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');
  const diff = Array.from({ length: 60 }, (_, n) => (n < 12 ? `+${n} a` : n < 15 ? `-${n} b` : ` ${n} c`)).join('\n');
  const cards = await renderCards(
    answer([
      call('a', 'bash', { command: 'npm test' }),
      call('b', 'read', { path: 'src/a.ts' }),
      call('c', 'edit', { path: 'src/b.ts' }),
      call('d', 'bash', { command: 'ls' }),
    ]),
    result('a', lines(212)),
    result('b', lines(340), { toolName: 'read' }),
    result('c', 'Replaced.', { toolName: 'edit', details: { diff } }),
    result('d', lines(12)),
  );
  const folds = cards.map((card) => /<span class="fold">([^<]*)</.exec(card)?.[1]);
  expect(folds).toEqual([
    '212 lines of output · npm test',
    'read src/a.ts · 340 lines',
    'diff +12 −3 · src/b.ts',
    undefined,
  ]);
  expect(cards[0]).toContain('<span class="preview">line 1</span>');
});

test('characters that change the direction of text are removed from heads and titles', async () => {
  const args = { path: '\u202egpj.exe', note: '\u2066x\u2069' };
  const [card = ''] = await renderCards(answer([call('a', 'read', args)]), result('a', 'x\n'.repeat(40)));
  expect(card).toContain('<bdi class="subject">gpj.exe</bdi>');
  expect(card).toContain('note: x');
  expect(card.slice(0, card.indexOf('<dl'))).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(/<span class="fold">bash[^<]*/.exec(card)?.[0]).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
