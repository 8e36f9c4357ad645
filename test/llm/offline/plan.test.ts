import { describe, expect, test } from 'vitest';
import { INTRODUCTION } from '../../../src/llm/offline/answer-texts.ts';
import type { ModelMessage } from '../../../src/protocol/index.ts';
import {
  assistant,
  call,
  hasNoSplitCharacters,
  image,
  joinTexts,
  plan,
  result,
  runConversation,
  tools,
  user,
} from './conversation-helpers.ts';

describe('a single request', () => {
  test('is carried out with a tool call and reported from its result', () => {
    const { turns, text } = runConversation([user('What files are here?')], { ls: 'a.txt\nsrc/' });
    expect(turns).toEqual([['ls {"path":"."}']]);
    expect(text).toBe('This directory holds 1 folder and 1 file:\n\n```\na.txt\nsrc/\n```');
  });

  test.each([
    ['find all *.zig files', 'find {"pattern":"*.zig"}', 'No files found matching pattern', 'No file matches `*.zig`.'],
    ['find *.ts in src', 'find {"pattern":"*.ts","path":"src"}', 'a.ts\nb.ts', '2 files match `*.ts` in `src`:'],
    [
      'search for TODO in src',
      'grep {"pattern":"TODO","path":"src"}',
      'No matches found',
      'I found no `TODO` in `src`.',
    ],
    ['grep `f(`', 'grep {"pattern":"f(","literal":true}', 'a.ts:1: f(\na.ts:9: f(', 'on 2 lines of 1 file:'],
    ['grep /f+/i', 'grep {"pattern":"f+","ignoreCase":true}', 'x', 'returned 1 line:'],
    ['read lines 3-5 of a.ts', 'read {"path":"a.ts","offset":3,"limit":3}', 'x\ny\nz', 'lines 3-5 of `a.ts`, 3 lines:'],
    ['read a.ts from line 3 on', 'read {"path":"a.ts","offset":3}', 'x', 'I read from line 3 of `a.ts`, 1 line:'],
    ['show me a.ts', 'read {"path":"a.ts"}', '(empty file)', '`a.ts` is empty.'],
    ['list src', 'ls {"path":"src"}', '(empty directory)', '`src` is empty.'],
    ['run `true`', 'bash {"command":"true"}', '(no output)', 'I ran `true`. It printed nothing.'],
    [
      'replace `a` with `b` in x',
      'edit {"path":"x","oldText":"a","newText":"b"}',
      'ok',
      'I replaced `a` with `b` in `x`.',
    ],
    ['remove `a` from x', 'edit {"path":"x","oldText":"a","newText":""}', 'ok', 'I removed `a` from `x`.'],
    ['create a.txt with `😀`', 'write {"path":"a.txt","content":"😀"}', 'ok', 'I wrote `a.txt` (1 character).'],
    [
      "append `it's` to a b.txt".replace('a b.txt', '`a b.txt`'),
      `bash {"command":"printf '%s\\\\n' 'it'\\\\''s' >> 'a b.txt'"}`,
      '(no output)',
      'I appended 1 line to `a b.txt`.',
    ],
  ])('%s', (request, expectedCall, toolResult, expected) => {
    const name = expectedCall.split(' ')[0] as string;
    const { turns, text } = runConversation([user(request)], { [name]: toolResult });
    expect(turns).toEqual([[expectedCall]]);
    expect(text).toContain(expected);
  });

  test('an edit tool that takes a list gets a list', () => {
    const edit = { name: 'edit', description: '', parameters: { properties: { edits: {} } } };
    const step = plan([user('replace `a` with `b` in x')], { tools: [edit] });
    expect(step.calls).toEqual([{ name: 'edit', arguments: { path: 'x', edits: [{ oldText: 'a', newText: 'b' }] } }]);
  });

  test('a summary is extracted from the file', () => {
    const file = '# Parley\n\nIt talks. A lot.\n\n## Use\n\n```sh\n# not a heading\n```\n\nRun it\nnow. Please.\n';
    const { text } = runConversation([user('summarise README.md')], { read: file });
    expect(text).toContain('`README.md` has 12 lines and 18 words.');
    expect(text).toContain('Headings:\n\n- Parley\n- Use\n');
    expect(text).toContain('- It talks.\n- Run it now.\n');
    expect(text).toContain('extracted by rule');
  });

  test('a summary of a part of a file says so', () => {
    const { text } = runConversation([user('summarise a.md')], {
      read: 'Some text.\n\n[Showing lines 1-1 of 9. Use offset=2]',
    });
    expect(text).toContain('The part of `a.md` that I read has 1 line');
    expect(text).toContain('The tool adds: [Showing lines 1-1 of 9. Use offset=2]');
  });

  test('a huge output is shortened without splitting characters', () => {
    const { text } = runConversation([user('run `yes`')], { bash: `${'😀'.repeat(60)}\n`.repeat(2000) });
    expect(text.length).toBeLessThan(4000);
    expect(text).toContain('It printed 2000 lines. It begins:');
    expect(hasNoSplitCharacters(text)).toBe(true);
  });

  test('an output with fences is quoted with a longer fence', () => {
    const { text } = runConversation([user('show me a.md')], { read: '```\ncode\n```' });
    expect(text).toContain('````\n```\ncode\n```\n````');
  });

  test('an image in a result is mentioned', () => {
    const readCall = call('c1', 'read', { path: 'a.png' });
    const imageResult = { ...result(readCall, 'Read image file [image/png]'), content: [image] };
    expect(joinTexts(plan([user('show me a.png'), assistant([readCall]), imageResult]))).toContain(
      'an image, which I cannot see',
    );
  });
});

describe('several requests', () => {
  test('read-only calls share a turn, changes have one each, and the report comes last', () => {
    const request = 'list src, read a.txt, run `npm test` and create b.txt with `x`; then find *.md';
    const { turns, text } = runConversation([user(request)], {
      ls: 'a',
      read: 'hello',
      bash: 'ok',
      write: 'done',
      find: 'x.md',
    });
    expect(turns).toEqual([
      ['ls {"path":"src"}', 'read {"path":"a.txt"}'],
      ['bash {"command":"npm test"}'],
      ['write {"path":"b.txt","content":"x"}'],
      ['find {"pattern":"*.md"}'],
    ]);
    const order = ['`src` holds', 'I read `a.txt`', 'I ran `npm test`', 'I wrote `b.txt`', '1 file matches'];
    const positions = order.map((part) => text.indexOf(part));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions).not.toContain(-1);
  });

  test('text replies appear in the order of the request', () => {
    const first = plan([user('say `start`, list src, say `end`')]);
    expect(joinTexts(first)).toBe('start\n\nI will list `src`.');
    const { text } = runConversation([user('say `start`, list src, say `end`')], { ls: 'a' });
    expect(text.endsWith('end')).toBe(true);
    expect(text).not.toContain('start');
  });

  test('after a failure no more changes are made, but read-only calls continue', () => {
    const { turns, text } = runConversation([user('run `false`, create a.txt with `x` and list src')], {
      bash: { error: 'boom\n\nCommand exited with code 1' },
      ls: { error: 'Path not found: src' },
    });
    expect(turns.flat()).toEqual(['bash {"command":"false"}', 'ls {"path":"src"}']);
    expect(text).toContain('`false` failed: Command exited with code 1. It printed 1 line:\n\n```\nboom\n```');
    expect(text).toContain('I could not list `src`: Path not found: src');
    expect(text).toContain('Because a step before it failed, I did not write `a.txt`.');
  });

  test('a partly understood request changes nothing', () => {
    const { turns, text } = runConversation([user('if that fails, run `rm -rf build`')], {});
    expect(turns).toEqual([]);
    expect(text).toContain('I did not understand “if that fails”.');
    expect(text).toContain('I did not run `rm -rf build`');
  });

  test('an impossible request ends as an error, and the next message is answered normally', () => {
    const first = user('prove the theorem');
    expect(plan([first]).failure).toContain('I did not understand “prove the theorem”.');
    // The failed reply is not part of the history.
    const next = plan([first, user('say `hi`')]);
    expect(next.failure).toBeUndefined();
    expect(joinTexts(next)).toBe(
      'hi\n\nNot done from an earlier request, because I did not understand it: “prove the theorem”.',
    );
  });

  test.each([
    ['a tool that is not offered', [user('run `true`')], { tools: [] }],
    ['only an image', [user(image)], {}],
  ])('%s: an error', (_name, messages, overrides) => {
    expect(plan(messages, overrides).failure).toContain('The offline model cannot carry this out.');
  });

  test('a failed tool call is reported without an error', () => {
    const run = call('c', 'bash', { command: 'false' });
    const history = [user('run `false`'), assistant([run]), result(run, 'Command exited with code 1', true)];
    expect(plan(history).failure).toBeUndefined();
  });

  test('many read-only calls are split into several turns', () => {
    const files = Array.from({ length: 11 }, (_, index) => `f${index}.txt`);
    const { turns } = runConversation([user(`read ${files.join(', ')}`)], { read: 'x' });
    expect(turns.map((turn) => turn.length)).toEqual([8, 3]);
  });
});

describe('tools', () => {
  test('a tool that is not offered is named', () => {
    const { turns, text } = runConversation(
      [user('list src and run `x`')],
      { ls: 'a' },
      { tools: tools.filter((t) => t.name === 'ls') },
    );
    expect(turns).toEqual([['ls {"path":"src"}']]);
    expect(text).toContain('I cannot run `x`: that needs the tool `bash`, which is not available.');
  });

  test('calls of another model are reported', () => {
    const weatherCall = call('x1', 'weather', { city: 'Berne' });
    const history = [user('list src'), assistant([weatherCall], { api: 'other' }), result(weatherCall, 'Sunny')];
    const { turns, text } = runConversation(history, { ls: 'a' });
    expect(turns).toEqual([['ls {"path":"src"}']]);
    expect(text).toContain('The tool `weather` returned 1 line:\n\n```\nSunny\n```');
  });

  test('a missing result is reported', () => {
    const bashCall = call('c1', 'bash', { command: 'x' });
    expect(joinTexts(plan([user('run `x`'), assistant([bashCall])]))).toBe(
      'I tried to run `x`, but no result was returned.',
    );
  });
});

describe('messages during a request', () => {
  const ls = call('c1', 'ls', { path: 'src' });
  const sh = call('c2', 'bash', { command: 'x' });
  const started: ModelMessage[] = [user('list src and run `x`'), assistant([ls]), result(ls, 'a')];

  test('an additional request is done after the first one', () => {
    const { turns } = runConversation([...started, user('also read b.txt')], { bash: 'ok', read: 'text' });
    expect(turns).toEqual([['bash {"command":"x"}'], ['read {"path":"b.txt"}']]);
  });

  test('another request replaces it, and the rest is reported as not done', () => {
    const { turns, text } = runConversation([...started, user('read b.txt')], { read: 'text' });
    expect(turns).toEqual([['read {"path":"b.txt"}']]);
    expect(text).toContain('Not done from an earlier request: run `x`.');
  });

  test.each(['stop', "no, don't run that", 'please leave it'])('%s stops the request', (steering) => {
    const { turns, text } = runConversation([...started, user(steering)], {});
    expect(turns).toEqual([]);
    expect(text).toContain('Not done from an earlier request: run `x`.');
  });

  test('a skipped call is repeated only when the user continues the request', () => {
    const read = call('c3', 'read', { path: 'a.txt' });
    const skipped = result(read, 'Skipped due to queued user message.', true);
    const history = [user('list src and read a.txt'), assistant([ls, read]), result(ls, 'a'), skipped];
    expect(runConversation([...history, user('and find *.md')], { read: 'x', find: 'y' }).turns).toEqual([
      ['read {"path":"a.txt"}', 'find {"pattern":"*.md"}'],
    ]);
    const replaced = runConversation([...history, user('create z.txt with `q`')], { write: 'ok' });
    expect(replaced.turns).toEqual([['write {"path":"z.txt","content":"q"}']]);
    expect(replaced.text).toContain('I did not read `a.txt`: the call was skipped.');
  });

  test('after an abort the old request is dropped unless the user continues it', () => {
    const history = [...started, assistant([sh]), result(sh, 'some\n\nCommand aborted', true)];
    expect(joinTexts(plan([...history, user('thanks')]))).toBe('You are welcome.');
    expect(runConversation([...history, user('continue')], { bash: 'ok' }).turns).toEqual([['bash {"command":"x"}']]);
  });

  test('two messages before the first reply are both processed', () => {
    const { turns } = runConversation([user('list src'), user('read b.txt')], { ls: 'a', read: 'x' });
    expect(turns).toEqual([['ls {"path":"src"}', 'read {"path":"b.txt"}']]);
  });

  test('a final reply completes the request', () => {
    const history = [...started, assistant([{ type: 'text', text: 'done' }]), user('thanks')];
    expect(joinTexts(plan(history))).toBe('You are welcome.');
  });

  test('a command run by the host does not affect the request', () => {
    const between = [...started, user('Ran `date`\n```\nnow\n```')];
    expect(runConversation(between, { bash: 'ok' }).turns).toEqual([['bash {"command":"x"}']]);
    const steered = runConversation([...between, user('read b.txt')], { read: 'text' });
    expect(steered.turns).toEqual([['read {"path":"b.txt"}']]);
    expect(steered.text).toContain('Not done from an earlier request: run `x`.');
  });
});

describe('replies without tools', () => {
  const reply = (text: string, history: ModelMessage[] = []) => joinTexts(plan([...history, user(text)]));

  test.each(['make me a sandwich', 'who are you?', 'help', 'hello'])('%s: introduces the offline model', (text) => {
    expect(reply(text)).toContain(INTRODUCTION);
    expect(reply(text)).toContain('- summarise `README.md`');
  });

  test('an almost understood request gets a hint', () => {
    expect(reply('run npm test')).toBe(
      'I did not understand “run npm test”. To have a command run, write it in backticks, for example: run `npm test`.',
    );
  });

  test('an empty conversation is answered', () => {
    expect(joinTexts(plan([]))).toContain('Your message was empty');
    expect(joinTexts(plan([user('hi'), assistant([{ type: 'text', text: 'Hello.' }])]))).toContain(
      'Your message was empty',
    );
  });

  test('images are not supported', () => {
    expect(joinTexts(plan([user(image, image)]))).toBe(
      'Your message has 2 images. I cannot see images; I read text only.',
    );
    expect(joinTexts(plan([user('say `x`', image)]))).toContain('1 image');
  });

  test('thinking is shown unless it is off', () => {
    expect(plan([user('think about cats')], { thinkingLevel: 'low' }).thinking).toContain('think about cats');
    expect(plan([user('list src')], { thinkingLevel: 'high' }).thinking).toBe('Next: list `src`.');
    expect(plan([user('list src')])).not.toHaveProperty('thinking');
  });

  test('continue without a request', () => {
    expect(reply('continue')).toBe('There is nothing to continue.');
  });
});

describe('the last command', () => {
  const askForOutput = (...history: ModelMessage[]) =>
    joinTexts(plan([...history, user('what did the command print?')]));

  test('run by the host', () => {
    expect(askForOutput(user('Ran `npm test`\n```\n3 passed\n```'))).toBe(
      '`npm test` printed 1 line:\n\n```\n3 passed\n```',
    );
    expect(askForOutput(user('Ran `true`\n(no output)'))).toBe('`true` printed nothing.');
    expect(askForOutput(user('Ran `x`\n````\n```\n````\n\nCommand exited with code 2'))).toContain(
      'It ended with: Command exited',
    );
    expect(askForOutput(user('Ran `x`\n(no output)\n\n(command cancelled)'))).toContain(
      'It ended with: command cancelled.',
    );
  });

  test('in the same message as the question', () => {
    expect(joinTexts(plan([user('Ran `date`\n```\nnow\n```\n\nwhat did it print?')]))).toContain(
      '`date` printed 1 line',
    );
  });

  test('run by the model', () => {
    const bashCall = call('c1', 'bash', { command: 'make' });
    const finalReply = assistant([{ type: 'text', text: 'done' }]);
    expect(askForOutput(user('run `make`'), assistant([bashCall]), result(bashCall, 'built'), finalReply)).toContain(
      '`make` printed 1 line',
    );
    const failed = result(bashCall, 'bad\n\nCommand exited with code 2', true);
    const text = askForOutput(user('run `make`'), assistant([bashCall]), failed, finalReply);
    expect(text).toContain('```\nbad\n```');
    expect(text).toContain('It ended with: Command exited with code 2.');
  });

  test('when there was none', () => {
    expect(askForOutput()).toContain('No command was run');
  });

  test('a compaction summary is not a request', () => {
    const summary =
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nrun `rm -rf x`\n</summary>';
    expect(joinTexts(plan([user(summary), user('say `hi`')]))).toBe('hi');
    expect(plan([user(summary)]).calls).toEqual([]);
  });
});
