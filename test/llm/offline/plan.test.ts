import { describe, expect, test } from 'vitest';
import { INTRODUCTION } from '../../../src/llm/offline/wording.ts';
import type { ModelMessage } from '../../../src/protocol/index.ts';
import { ask, assistant, call, image, isWhole, play, result, tools, user, wordsOf } from './talk.ts';

describe('one request', () => {
  test('is carried out with a real call and reported from its result', () => {
    const { turns, words } = play([user('What files are here?')], { ls: 'a.txt\nsrc/' });
    expect(turns).toEqual([['ls {"path":"."}']]);
    expect(words).toBe('This directory holds 1 folder and 1 file:\n\n```\na.txt\nsrc/\n```');
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
  ])('%s', (request, made, answer, told) => {
    const name = made.split(' ')[0] as string;
    const { turns, words } = play([user(request)], { [name]: answer });
    expect(turns).toEqual([[made]]);
    expect(words).toContain(told);
  });

  test('an edit tool that only takes a list gets a list', () => {
    const edit = { name: 'edit', description: '', parameters: { properties: { edits: {} } } };
    const step = ask([user('replace `a` with `b` in x')], { tools: [edit] });
    expect(step.calls).toEqual([{ name: 'edit', arguments: { path: 'x', edits: [{ oldText: 'a', newText: 'b' }] } }]);
  });

  test('a summary is made of the words of the file', () => {
    const file = '# Parley\n\nIt talks. A lot.\n\n## Use\n\n```sh\n# not a heading\n```\n\nRun it\nnow. Please.\n';
    const { words } = play([user('summarise README.md')], { read: file });
    expect(words).toContain('`README.md` has 12 lines and 18 words.');
    expect(words).toContain('Headings:\n\n- Parley\n- Use\n');
    expect(words).toContain('- It talks.\n- Run it now.\n');
    expect(words).toContain('extracted by rule');
  });

  test('a summary of a part says that it is one', () => {
    const { words } = play([user('summarise a.md')], { read: 'Some text.\n\n[Showing lines 1-1 of 9. Use offset=2]' });
    expect(words).toContain('The part of `a.md` that I read has 1 line');
    expect(words).toContain('The tool adds: [Showing lines 1-1 of 9. Use offset=2]');
  });

  test('a huge output is quoted by its head only, no character cut in two', () => {
    const { words } = play([user('run `yes`')], { bash: `${'😀'.repeat(60)}\n`.repeat(2000) });
    expect(words.length).toBeLessThan(4000);
    expect(words).toContain('It printed 2000 lines. It begins:');
    expect(isWhole(words)).toBe(true);
  });

  test('an output that holds fences is quoted with a longer one', () => {
    const { words } = play([user('show me a.md')], { read: '```\ncode\n```' });
    expect(words).toContain('````\n```\ncode\n```\n````');
  });

  test('an image in a result is owned up to', () => {
    const made = call('c1', 'read', { path: 'a.png' });
    const seen = { ...result(made, 'Read image file [image/png]'), content: [image] };
    expect(wordsOf(ask([user('show me a.png'), assistant([made]), seen]))).toContain('an image, which I cannot see');
  });
});

describe('several requests', () => {
  test('looks share a turn, changes have one each, the report comes at the end', () => {
    const request = 'list src, read a.txt, run `npm test` and create b.txt with `x`; then find *.md';
    const { turns, words } = play([user(request)], { ls: 'a', read: 'hello', bash: 'ok', write: 'done', find: 'x.md' });
    expect(turns).toEqual([
      ['ls {"path":"src"}', 'read {"path":"a.txt"}'],
      ['bash {"command":"npm test"}'],
      ['write {"path":"b.txt","content":"x"}'],
      ['find {"pattern":"*.md"}'],
    ]);
    const order = ['`src` holds', 'I read `a.txt`', 'I ran `npm test`', 'I wrote `b.txt`', '1 file matches'];
    const places = order.map((part) => words.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test('words are said where they stand', () => {
    const first = ask([user('say `start`, list src, say `end`')]);
    expect(wordsOf(first)).toBe('start\n\nI will list `src`.');
    const { words } = play([user('say `start`, list src, say `end`')], { ls: 'a' });
    expect(words.endsWith('end')).toBe(true);
    expect(words).not.toContain('start');
  });

  test('after a failure nothing more is changed, but looking goes on', () => {
    const { turns, words } = play([user('run `false`, create a.txt with `x` and list src')], {
      bash: { error: 'boom\n\nCommand exited with code 1' },
      ls: { error: 'Path not found: src' },
    });
    expect(turns.flat()).toEqual(['bash {"command":"false"}', 'ls {"path":"src"}']);
    expect(words).toContain('`false` failed: Command exited with code 1. It printed 1 line:\n\n```\nboom\n```');
    expect(words).toContain('I could not list `src`: Path not found: src');
    expect(words).toContain('Because a step before it failed, I did not write `a.txt`.');
  });

  test('what is only half understood changes nothing', () => {
    const { turns, words } = play([user('if that fails, run `rm -rf build`')], {});
    expect(turns).toEqual([]);
    expect(words).toContain('I did not understand “if that fails”.');
    expect(words).toContain('I did not run `rm -rf build`');
  });

  test('what cannot be carried out ends as an error, and the next message is answered for itself', () => {
    const first = user('prove the theorem');
    expect(ask([first]).failure).toContain('I did not understand “prove the theorem”.');
    // The failed answer is not part of the history.
    const next = ask([first, user('say `hi`')]);
    expect(next.failure).toBeUndefined();
    expect(wordsOf(next)).toBe('hi\n\nLeft undone from before, because I did not understand it: “prove the theorem”.');
  });

  test.each([
    ['a tool that is not offered', [user('run `true`')], { tools: [] }],
    ['nothing but an image', [user(image)], {}],
  ])('%s: an error', (_name, messages, more) => {
    expect(ask(messages, more).failure).toContain('The offline model cannot carry this out.');
  });

  test('a tool that failed is reported, not an error', () => {
    const run = call('c', 'bash', { command: 'false' });
    const history = [user('run `false`'), assistant([run]), result(run, 'Command exited with code 1', true)];
    expect(ask(history).failure).toBeUndefined();
  });

  test('more looks than fit one turn take several', () => {
    const files = Array.from({ length: 11 }, (_, index) => `f${index}.txt`);
    const { turns } = play([user(`read ${files.join(', ')}`)], { read: 'x' });
    expect(turns.map((turn) => turn.length)).toEqual([8, 3]);
  });
});

describe('tools', () => {
  test('a tool that is not offered is named, and nothing is made up', () => {
    const { turns, words } = play(
      [user('list src and run `x`')],
      { ls: 'a' },
      { tools: tools.filter((t) => t.name === 'ls') },
    );
    expect(turns).toEqual([['ls {"path":"src"}']]);
    expect(words).toContain('I cannot run `x`: that needs the tool `bash`, which is not offered to me here.');
  });

  test('calls that another model made are reported without claiming them', () => {
    const made = call('x1', 'weather', { city: 'Berne' });
    const history = [user('list src'), assistant([made], { api: 'other' }), result(made, 'Sunny')];
    const { turns, words } = play(history, { ls: 'a' });
    expect(turns).toEqual([['ls {"path":"src"}']]);
    expect(words).toContain('The tool `weather` returned 1 line:\n\n```\nSunny\n```');
  });

  test('a result that never came is not invented', () => {
    const made = call('c1', 'bash', { command: 'x' });
    expect(wordsOf(ask([user('run `x`'), assistant([made])]))).toBe('I set out to run `x`, but no result came back.');
  });
});

describe('messages that come in between', () => {
  const ls = call('c1', 'ls', { path: 'src' });
  const sh = call('c2', 'bash', { command: 'x' });
  const begun: ModelMessage[] = [user('list src and run `x`'), assistant([ls]), result(ls, 'a')];

  test('an addition is done after what was asked first', () => {
    const { turns } = play([...begun, user('also read b.txt')], { bash: 'ok', read: 'text' });
    expect(turns).toEqual([['bash {"command":"x"}'], ['read {"path":"b.txt"}']]);
  });

  test('anything else takes its place, and what is left undone is said', () => {
    const { turns, words } = play([...begun, user('read b.txt')], { read: 'text' });
    expect(turns).toEqual([['read {"path":"b.txt"}']]);
    expect(words).toContain('Left undone from before: run `x`.');
  });

  test.each(['stop', "no, don't run that", 'please leave it'])('%s ends it', (steering) => {
    const { turns, words } = play([...begun, user(steering)], {});
    expect(turns).toEqual([]);
    expect(words).toContain('Left undone from before: run `x`.');
  });

  test('a skipped call is made again only when the user goes on', () => {
    const read = call('c3', 'read', { path: 'a.txt' });
    const skipped = result(read, 'Skipped due to queued user message.', true);
    const history = [user('list src and read a.txt'), assistant([ls, read]), result(ls, 'a'), skipped];
    expect(play([...history, user('and find *.md')], { read: 'x', find: 'y' }).turns).toEqual([
      ['read {"path":"a.txt"}', 'find {"pattern":"*.md"}'],
    ]);
    const turned = play([...history, user('create z.txt with `q`')], { write: 'ok' });
    expect(turned.turns).toEqual([['write {"path":"z.txt","content":"q"}']]);
    expect(turned.words).toContain('I did not read `a.txt`: the call was skipped.');
  });

  test('after an abort the old request is over unless the user says so', () => {
    const history = [...begun, assistant([sh]), result(sh, 'some\n\nCommand aborted', true)];
    expect(wordsOf(ask([...history, user('thanks')]))).toBe('You are welcome.');
    expect(play([...history, user('continue')], { bash: 'ok' }).turns).toEqual([['bash {"command":"x"}']]);
  });

  test('two messages before the first answer are both heard', () => {
    const { turns } = play([user('list src'), user('read b.txt')], { ls: 'a', read: 'x' });
    expect(turns).toEqual([['ls {"path":"src"}', 'read {"path":"b.txt"}']]);
  });

  test('a settled answer closes the request', () => {
    const history = [...begun, assistant([{ type: 'text', text: 'done' }]), user('thanks')];
    expect(wordsOf(ask(history))).toBe('You are welcome.');
  });

  test('a command that the host ran in between changes nothing', () => {
    const between = [...begun, user('Ran `date`\n```\nnow\n```')];
    expect(play(between, { bash: 'ok' }).turns).toEqual([['bash {"command":"x"}']]);
    const steered = play([...between, user('read b.txt')], { read: 'text' });
    expect(steered.turns).toEqual([['read {"path":"b.txt"}']]);
    expect(steered.words).toContain('Left undone from before: run `x`.');
  });
});

describe('answers without tools', () => {
  const say = (text: string, history: ModelMessage[] = []) => wordsOf(ask([...history, user(text)]));

  test.each(['make me a sandwich', 'who are you?', 'help', 'hello'])('%s: it says honestly what it is', (text) => {
    expect(say(text)).toContain(INTRODUCTION);
    expect(say(text)).toContain('- summarise `README.md`');
  });

  test('a hint helps where the request was nearly understood', () => {
    expect(say('run npm test')).toBe(
      'I did not understand “run npm test”. To have a command run, write it in backticks, for example: run `npm test`.',
    );
  });

  test('an empty conversation is answered', () => {
    expect(wordsOf(ask([]))).toContain('Your message was empty');
    expect(wordsOf(ask([user('hi'), assistant([{ type: 'text', text: 'Hello.' }])]))).toContain(
      'Your message was empty',
    );
  });

  test('images cannot be seen', () => {
    expect(wordsOf(ask([user(image, image)]))).toBe(
      'Your message has 2 images. I cannot see images; I read text only.',
    );
    expect(wordsOf(ask([user('say `x`', image)]))).toContain('1 image');
  });

  test('thinking is shown unless it is off', () => {
    expect(ask([user('think about cats')], { thinkingLevel: 'low' }).thinking).toContain('think about cats');
    expect(ask([user('list src')], { thinkingLevel: 'high' }).thinking).toBe('Next: list `src`.');
    expect(ask([user('list src')])).not.toHaveProperty('thinking');
  });

  test('nothing is left to go on with', () => {
    expect(say('continue')).toBe('There is nothing left to go on with.');
  });
});

describe('the last command', () => {
  const about = (...history: ModelMessage[]) => wordsOf(ask([...history, user('what did the command print?')]));

  test('of the host', () => {
    expect(about(user('Ran `npm test`\n```\n3 passed\n```'))).toBe('`npm test` printed 1 line:\n\n```\n3 passed\n```');
    expect(about(user('Ran `true`\n(no output)'))).toBe('`true` printed nothing.');
    expect(about(user('Ran `x`\n````\n```\n````\n\nCommand exited with code 2'))).toContain(
      'It ended with: Command exited',
    );
    expect(about(user('Ran `x`\n(no output)\n\n(command cancelled)'))).toContain('It ended with: command cancelled.');
  });

  test('in the same message as the question', () => {
    expect(wordsOf(ask([user('Ran `date`\n```\nnow\n```\n\nwhat did it print?')]))).toContain('`date` printed 1 line');
  });

  test('of the model', () => {
    const made = call('c1', 'bash', { command: 'make' });
    const closed = assistant([{ type: 'text', text: 'done' }]);
    expect(about(user('run `make`'), assistant([made]), result(made, 'built'), closed)).toContain(
      '`make` printed 1 line',
    );
    const failed = result(made, 'bad\n\nCommand exited with code 2', true);
    const words = about(user('run `make`'), assistant([made]), failed, closed);
    expect(words).toContain('```\nbad\n```');
    expect(words).toContain('It ended with: Command exited with code 2.');
  });

  test('that never was', () => {
    expect(about()).toContain('No command was run');
  });

  test('a compaction summary is no request', () => {
    const summary =
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nrun `rm -rf x`\n</summary>';
    expect(wordsOf(ask([user(summary), user('say `hi`')]))).toBe('hi');
    expect(ask([user(summary)]).calls).toEqual([]);
  });
});
