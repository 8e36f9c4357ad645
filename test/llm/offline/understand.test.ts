import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../src/llm/offline/intent.ts';
import { parseIntents } from '../../../src/llm/offline/parse-intents.ts';
import { isAdditionalRequest } from '../../../src/llm/offline/phrases.ts';

const list = (path = '.'): Intent => ({ kind: 'list', path });
const find = (pattern: string, path?: string): Intent => ({ kind: 'find', pattern, ...(path && { path }) });
const search = (pattern: string, fields: object = {}): Intent => ({ kind: 'search', pattern, ...fields });
const read = (path: string, from?: number, to?: number): Intent => ({
  kind: 'read',
  path,
  ...(from && { from }),
  ...(to && { to }),
});
const summarise = (path: string): Intent => ({ kind: 'summarise', path });
const run = (command: string): Intent => ({ kind: 'run', command });
const replace = (oldText: string, newText: string, path: string): Intent => ({
  kind: 'replace',
  path,
  oldText,
  newText,
});
const create = (path: string, content: string): Intent => ({ kind: 'create', path, content });
const append = (path: string, content: string): Intent => ({ kind: 'append', path, content });
const say = (text: string): Intent => ({ kind: 'say', text });

const readOnly: [string, ...Intent[]][] = [
  ['What files are here?', list()],
  ['which files are there', list()],
  ['ls', list()],
  ["what's here?", list()],
  ['list .', list()],
  ['list ..', list('..')],
  ['list src', list('src')],
  ['List the files in src/tools please.', list('src/tools')],
  ['show me the contents of the docs folder', list('docs')],
  ["what's in src?", list('src')],
  ['show me src', list('src')],
  ['list src and test', list('src'), list('test')],
  ['list the files in `my folder`', list('my folder')],
  ['find all *.test.ts files', find('*.test.ts')],
  ['where is package.json?', find('package.json')],
  ['find files named foo.ts in src', find('foo.ts', 'src')],
  ['locate `LICENSE.md`', find('LICENSE.md')],
  ['find the file notes', find('notes')],
  ['find TypeScript files', find('*.ts')],
  ['find all markdown files in docs', find('*.md', 'docs')],
  ['find src/**/*.ts', find('src/**/*.ts')],
  ['search for TODO in src', search('TODO', { path: 'src' })],
  ['search for TODO', search('TODO')],
  ['grep `foo(`', search('foo(')],
  ['grep "two words" in src and test', search('two words', { path: 'src' }), search('two words', { path: 'test' })],
  ['search src for createModels', search('createModels', { path: 'src' })],
  ['find TODO in src', search('TODO', { path: 'src' })],
  ['find all uses of Fault in src', search('Fault', { path: 'src' })],
  ['which files mention Fault?', search('Fault')],
  ['where is `createModels` defined?', search('createModels')],
  ['grep /fo+o/i in src', search('fo+o', { regex: true, ignoreCase: true, path: 'src' })],
  ['search for TODO ignoring case', search('TODO', { ignoreCase: true })],
  ['search for fixme in all files', search('fixme')],
  ['search for foo in *.ts files', search('foo', { glob: '*.ts' })],
  ['search for foo in the TypeScript files', search('foo', { glob: '*.ts' })],
  ['search for salt and pepper', search('salt and pepper')],
  ['show me README.md', read('README.md')],
  ['Show me README.md.', read('README.md')],
  ['cat package.json', read('package.json')],
  ['open the file notes', read('notes')],
  ['show me Makefile', read('Makefile')],
  ['read @src/a.ts', read('src/a.ts')],
  ['show me `my file.txt`', read('my file.txt')],
  ['what is in package.json?', read('package.json')],
  ['look at src/index.ts', read('src/index.ts')],
  ['read README.md, package.json and tsconfig.json', read('README.md'), read('package.json'), read('tsconfig.json')],
  ['read lines 10-20 of x.ts', read('x.ts', 10, 20)],
  ['show me lines 3 to 9 of src/a.ts', read('src/a.ts', 3, 9)],
  ['show line 7 of a.ts', read('a.ts', 7, 7)],
  ['read src/a.ts lines 5-7', read('src/a.ts', 5, 7)],
  ['read src/a.ts from line 5 on', read('src/a.ts', 5)],
  ['show src/a.ts:10-20', read('src/a.ts', 10, 20)],
  ['show me the first 20 lines of README.md', read('README.md', 1, 20)],
  ['summarise README.md', summarise('README.md')],
  ['Summarize the file docs/guide.md', summarise('docs/guide.md')],
  ['what is README.md about?', summarise('README.md')],
  ['give me a short summary of package.json', summarise('package.json')],
  ['explain src/a.ts', summarise('src/a.ts')],
];

const changing: [string, ...Intent[]][] = [
  ['run `npm test`', run('npm test')],
  ['Please run the command `ls -la | wc -l`', run('ls -la | wc -l')],
  ['could you execute "git status"?', run('git status')],
  ['run:\n```sh\nls\npwd\n```', run('ls\npwd')],
  ['run `a; b, c and d`', run('a; b, c and d')],
  ['replace `foo` with `bar` in a.txt', replace('foo', 'bar', 'a.txt')],
  ['replace "a b" with \'c d\' in src/x.ts', replace('a b', 'c d', 'src/x.ts')],
  ['replace foo with bar in the file a.txt', replace('foo', 'bar', 'a.txt')],
  ['in a.txt, replace foo with bar', replace('foo', 'bar', 'a.txt')],
  ['change `x` to `y` in a.txt and b.txt', replace('x', 'y', 'a.txt'), replace('x', 'y', 'b.txt')],
  ['remove `x` from a.txt', replace('x', '', 'a.txt')],
  ['create hello.txt with the content `hi`', create('hello.txt', 'hi')],
  ['create a file called todo.md with “- one”', create('todo.md', '- one')],
  ['create an empty file x.txt', create('x.txt', '')],
  ['create a.py with:\n```python\nprint(1)\n```', create('a.py', 'print(1)\n')],
  ['create notes.md containing buy milk and run errands', create('notes.md', 'buy milk and run errands')],
  ['create notes.md containing the fox, textures', create('notes.md', 'the fox, textures')],
  ['write `hi` to out.txt', create('out.txt', 'hi')],
  ['save "x" as y.txt', create('y.txt', 'x')],
  ['append `more` to log.txt', append('log.txt', 'more')],
  ['add the line `z` to log.txt', append('log.txt', 'z')],
];

const conversation: [string, ...Intent[]][] = [
  ['hi', { kind: 'greet' }],
  ['Good morning!', { kind: 'greet' }],
  ['hey there', { kind: 'greet' }],
  ['thank you very much!', { kind: 'thanks' }],
  ['well done', { kind: 'thanks' }],
  ['help', { kind: 'help' }],
  ['what can you do?', { kind: 'help' }],
  ['who are you?', { kind: 'about' }],
  ['are you a language model?', { kind: 'about' }],
  ['What model is this?', { kind: 'about' }],
  ['say `hello there`', say('hello there')],
  ['say hello, world', say('hello, world')],
  ['print `hello you`', say('hello you')],
  ['think about the tests', { kind: 'think', topic: 'the tests' }],
  ['count to 10', { kind: 'count', to: 10 }],
  ['count to 1,000', { kind: 'count', to: 1000 }],
  ['what did the command print?', { kind: 'output' }],
  ['what was the output?', { kind: 'output' }],
  ['did it work?', { kind: 'output' }],
  ['stop', { kind: 'stop' }],
  ['never mind', { kind: 'stop' }],
  ["don't run `rm -rf x`", { kind: 'stop' }],
  ['don’t do that', { kind: 'stop' }],
  ['go on', { kind: 'continue' }],
];

const several: [string, ...Intent[]][] = [
  ['list src and read README.md', list('src'), read('README.md')],
  ['List src. Then read README.md.', list('src'), read('README.md')],
  ['list src, then run `npm test`; summarise a.md', list('src'), run('npm test'), summarise('a.md')],
  ['1. list src\n2. read a.txt', list('src'), read('a.txt')],
  ['- list src\n- run `x`', list('src'), run('x')],
  ['hi, list the files please', { kind: 'greet' }, list()],
  ['create a.txt containing hi and run `cat a.txt`', create('a.txt', 'hi'), run('cat a.txt')],
  ['list src and make me a sandwich', list('src'), { kind: 'unclear', request: 'make me a sandwich' }],
];

const unclear: [string, ...Intent[]][] = [
  ['make me a sandwich, and a coffee', { kind: 'unclear', request: 'make me a sandwich, and a coffee' }],
  ['write a poem', { kind: 'unclear', request: 'write a poem' }],
  ['explain monads', { kind: 'unclear', request: 'explain monads' }],
  ['`rm -rf /`', { kind: 'unclear', request: '`rm -rf /`' }],
  ['ls -la', { kind: 'unclear', request: 'ls -la' }],
  ['run npm test', { kind: 'unclear', request: 'run npm test', hint: 'quote-command' }],
  ['replace foo with bar', { kind: 'unclear', request: 'replace foo with bar', hint: 'name-file' }],
  ['delete a.txt', { kind: 'unclear', request: 'delete a.txt', hint: 'no-delete' }],
  ['count to 1000000', { kind: 'unclear', request: 'count to 1000000', hint: 'count-limit' }],
];

describe.each([
  ['read-only requests', readOnly],
  ['changes', changing],
  ['conversation', conversation],
  ['several requests', several],
  ['not understood', unclear],
])('%s', (_, table) => {
  test.each(table)('%s', (sentence, ...intents) => {
    expect(parseIntents(sentence)).toEqual(intents);
  });
});

test.each(['', '  ', '\n\n'])('%j has no intents', (text) => {
  expect(parseIntents(text)).toEqual([]);
});

test('a long pasted text is not searched for requests', () => {
  const pasted = `${'lorem ipsum dolor, '.repeat(300)} and run \`rm -rf x\``;
  expect(parseIntents(pasted)).toMatchObject([{ kind: 'unclear' }]);
});

test('a long quote inside a short sentence is kept completely', () => {
  const content = 'line, and run `x`\n'.repeat(5000);
  expect(parseIntents(`create a.txt with \`\`\`\n${content.replaceAll('`', "'")}\`\`\``)).toEqual([
    create('a.txt', content.replaceAll('`', "'")),
  ]);
});

test('a quote may contain the token characters', () => {
  expect(parseIntents('run `a \ufdd0 b`')).toEqual([run('a \ufdd0 b')]);
  expect(
    parseIntents('run \ufdd00\ufdd1 `x`').filter((intent) => intent.kind === 'run' && intent.command !== 'x'),
  ).toEqual([]);
});

test('no input throws or runs an unquoted command', () => {
  const noise = fc.array(
    fc.constantFrom('run', 'list', 'and', 'then', 'replace', '`', '"', "'", ',', '\n', 'a.txt', '😀', '\ufdd0'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        noise.map((words) => words.join(' ')),
      ),
      (text) => {
        for (const intent of parseIntents(text)) {
          if (intent.kind === 'run') expect(text).toContain(intent.command);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test.each([
  ['also read b.txt', true],
  ['and then list src', true],
  ['read b.txt too', true],
  ['read b.txt', false],
  ['stop', false],
])('%s: is an additional request: %s', (sentence, adds) => {
  expect(isAdditionalRequest(sentence)).toBe(adds);
});
