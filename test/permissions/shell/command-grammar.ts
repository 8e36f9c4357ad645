// Generates command lines of quotes, expansions, lists and compound commands. The only program names are `a`, `b` and `ab`, which do not exist.
import fc from 'fast-check';

const LITERALS = [
  'a',
  'b',
  'ab',
  'x=1',
  '-a',
  '1',
  '2',
  '{}',
  '{a,b}',
  '{1..2}',
  '*',
  'a*',
  '?',
  '[ab]',
  '[',
  ']',
  '~',
  'a~',
  '#',
  'a#b',
  '!',
  '=',
  '%',
  ',',
  '.',
  '..',
  '{',
  '}',
  'é',
  '\u00a0',
  'if',
  'do',
  'in',
  'done',
  'esac',
  'time',
  ':',
  '$',
  '^',
  '@',
  '+',
  '+(',
];
const ESCAPES = ['\\a', '\\ ', '\\$', '\\"', "\\'", '\\\\', '\\\n', '\\`', '\\;', '\\#', '\\{'];
const ANSI = ['a', '\\x61', '\\141', '\\n', '\\t', "\\'", '\\\\', '\\u0061', '\\z', '\\"', ' ', '$x'];
const IN_DOUBLE = [
  'a',
  ' ',
  '\\"',
  '\\\\',
  '\\$',
  '\\a',
  '\\`',
  "'",
  '$',
  '$x',
  '${x}',
  '$@',
  '$*',
  '#',
  '\n',
  '\\\n',
  '!',
  '*',
  '{a,b}',
  '~',
  '$1',
  '"\'"\'"',
];
const EXPANSIONS = [
  '$x',
  '${x}',
  '$@',
  '$*',
  '$1',
  '$#',
  '$?',
  '${x:-a b}',
  '${x:+$y}',
  '${z:-$y}',
  '${x#p}',
  '${x/p/a}',
  '${#x}',
  '${x:0:1}',
  '${x^^}',
  '${z:=a}',
  '$((1+1))',
  '$((x1))',
  '$(( (2) ))',
  '${arr[@]}',
  '${arr[0]}',
  '${arr[*]}',
  '$x$y',
  "${z:-'a b'}",
  '${z:-"a b"}',
  '${z-\\}}',
  '${x@Q}',
];

const join = (parts: readonly string[]) => parts.join('');

/** `word` and `list` refer to one another. */
export const { line } = fc.letrec<{
  part: string;
  word: string;
  command: string;
  compound: string;
  list: string;
  line: string;
}>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', '1') },
    { weight: 3, arbitrary: fc.constantFrom(...LITERALS) },
    { weight: 2, arbitrary: fc.constantFrom(...ESCAPES) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.constantFrom('a', ' ', '$x', '\\', '"', '`', '#', '\n'), { maxLength: 3 })
        .map((parts) => `'${join(parts)}'`),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(
          fc.oneof(
            fc.constantFrom(...IN_DOUBLE),
            tie('list').map((text) => `$(${text})`),
          ),
          { maxLength: 3 },
        )
        .map((parts) => `"${join(parts)}"`),
    },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...ANSI), { maxLength: 3 }).map((parts) => `$'${join(parts)}'`) },
    { weight: 3, arbitrary: fc.constantFrom(...EXPANSIONS) },
    { weight: 1, arbitrary: tie('list').map((text) => `$(${text})`) },
    { weight: 1, arbitrary: tie('list').map((text) => `\`${text.replaceAll(/[\\`$]/g, '\\$&')}\``) },
    { weight: 1, arbitrary: tie('list').map((text) => `<(${text})`) },
    { weight: 1, arbitrary: tie('list').map((text) => `\${z:-$(${text})}`) },
    { weight: 1, arbitrary: tie('list').map((text) => `$((1+$(${text})0))`) },
  ),
  word: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map(join),
  command: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          fc.constantFrom('a', 'b', 'ab', "'a'", '\\b', 'a"b"', 'x=1 a', 'x=$y b', '>f a', 'command a', '! a'),
          fc.array(tie('word'), { maxLength: 3 }),
        )
        .map(([name, words]) => [name, ...words].join(' ')),
    },
    { weight: 1, arbitrary: tie('word') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('a', 'b'),
          tie('word'),
          fc.constantFrom('>f', '2>&1', '<f', '>>f', '2>/dev/null', '<<<$x', '&>f', '>&2', '<<<"a b"'),
        )
        .map((parts) => parts.join(' ')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('E', "'E'", '\\E', '"E"', '-E'),
          fc.array(
            fc.constantFrom('a', '$x', '$(a)', '`b`', ' E', "'", '"', '\\$(a)', 'E ', '\tE', '\\\\', '${z:-$(ab)}'),
            { maxLength: 3 },
          ),
        )
        .map(([end, body]) => `a <<${end}\n${body.map((text) => `${text}\n`).join('')}E\n`),
    },
    { weight: 1, arbitrary: tie('list').map((text) => `eval '${text.replaceAll("'", "'\\''")}'`) },
    { weight: 1, arbitrary: tie('list').map((text) => `trap '${text.replaceAll("'", "'\\''")}' EXIT`) },
    { weight: 3, arbitrary: tie('compound') },
  ),
  compound: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('list').map((text) => `( ${text} )`),
    tie('list').map((text) => `(${text})`),
    tie('list').map((text) => `{ ${text}\n}`),
    fc.tuple(tie('list'), tie('list')).map(([test, body]) => `if ${test}\nthen ${body}\nelse ${body}\nfi`),
    fc.tuple(tie('list'), tie('list')).map(([test, body]) => `if ! { ${test}\n}; then ${body}; fi`),
    fc.tuple(tie('word'), tie('list')).map(([word, body]) => `for v in ${word}; do ${body}; done`),
    fc.tuple(tie('word'), tie('list')).map(([word, body]) => `for v in a; do ${body} ${word}\ndone`),
    fc
      .tuple(tie('word'), tie('word'), tie('list'))
      .map(([word, pattern, body]) => `case ${word} in ${pattern}) ${body};; *) ${body}\nesac`),
    fc
      .tuple(tie('word'), tie('word'), tie('list'))
      .map(([left, right, body]) => `[[ ${left} == ${right} ]] || ${body}`),
    tie('list').map((body) => `f() { ${body}\n}`),
    fc.tuple(tie('word'), tie('list')).map(([word, body]) => `arr=(${word} ${word}); ${body}`),
    tie('list').map((body) => `while a; do ${body}; done`),
  ),
  list: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 4, arbitrary: tie('command') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          tie('command'),
          fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ', ' |& ', ' #a\n', ';'),
          tie('list'),
        )
        .map(join),
    },
  ),
  line: fc.array(tie('list'), { minLength: 1, maxLength: 2 }).map((lists) => lists.join('\n')),
}));

const INSERTED = [
  '"',
  "'",
  '\\',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  ' ',
  '\n',
  ';',
  '&',
  '|',
  '<',
  '>',
  '#',
  '=',
  'a',
  '!',
  '~',
  '*',
  '\t',
  ',',
  '$(',
  '${',
  '$((',
  '))',
  '<<E',
  'E\n',
  '\nE\n',
  "$'",
  ';;',
  '&&',
  '<(',
];

/** Characters are removed, inserted or doubled. */
export const mutatedLine: fc.Arbitrary<string> = fc
  .tuple(
    line,
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        removed: fc.nat(2),
        inserted: fc.constantFrom('', ...INSERTED),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((result, { at, removed, inserted }) => {
      const position = Math.floor(at * result.length);
      return result.slice(0, position) + inserted + result.slice(position + removed);
    }, text),
  );
