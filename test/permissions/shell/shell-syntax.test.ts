// Which calls the parser finds in a command line: quotes, expansions, lists, compound commands, redirections.
import { describe, expect, test } from 'vitest';
import { parseShellCommand } from '../../../src/permissions/shell/index.ts';
import { formatCalls } from './format-calls.ts';

/** Command and expected calls. A single `!` means that only the problem matters. */
type Row = readonly [command: string, expected: string];

const QUOTES: readonly Row[] = [
  ['ls -la src', 'ls -la src'],
  ["'rm' -rf x", 'rm -rf x'],
  ['"rm" -rf x', 'rm -rf x'],
  ["r''m x", 'rm x'],
  ['r""m x', 'rm x'],
  ['r\\m x', 'rm x'],
  ['\\rm x', 'rm x'],
  ["$'\\x72\\x6d' x", 'rm x'],
  ["$'\\162\\155' x", 'rm x'],
  ["$'\\u0072m' x", 'rm x'],
  ["$'r\\U0000006d' x", 'rm x'],
  ["echo $'a\\tb\\n\\\\\\'\\z'", `echo "a\\tb\\n\\\\'\\\\z"`],
  ["$'rm\\0x'", '!'],
  ["$'\\xff' x", '!'],
  ["$'\\ca' x", '!'],
  ["$'rm", '!'],
  ['$"rm" x', 'rm x'],
  ['r\\\nm x', 'rm x'],
  ['"r\\\nm" x', 'rm x'],
  ["'r\\\nm' x", '"r\\\\\\nm" x !'],
  ['ls \\\n  -la', 'ls -la'],
  ['echo a\\ b "c d"', 'echo "a b" "c d"'],
  ['echo "a\\b\\"\\$\\`\\\\"', 'echo "a\\\\b\\"$`\\\\"'],
  ["echo 'a\\b$x`y`'", 'echo "a\\\\b$x`y`"'],
  ['echo ""', 'echo ""'],
  ["echo a'b'\"c\"$'d'\\e", 'echo abcde'],
  ['echo # rm x', 'echo'],
  ['echo a#b', 'echo a#b'],
  ['echo a # b\nrm x', 'echo a ; rm x'],
  ['# only a comment', ''],
  ['', ''],
  ['   \n\t\n', ''],
  ['echo "a', '!'],
  ["echo 'a", '!'],
  ['echo a\\', '!'],
  ['rm\rx', '"rm\\rx" !'],
  ['rm\u00a0x', '"rm\u00a0x" !'],
  ['echo a\u2003b', 'echo "a\u2003b" !'],
  ['echo "a\u00a0b"', 'echo "a\u00a0b"'],
  ['echo \u202e', 'echo "\u202e" !'],
  ['echo a\0b', 'echo "a\\u0000b" !'],
  ['echo \ud800', 'echo "\\ud800" !'],
  ['echo "déjà vu 🙂"', 'echo "déjà vu 🙂"'],
  ['rм x', '"rм" x !'],
  ['echo !hello', 'echo !hello'],
];

const EXPANSIONS: readonly Row[] = [
  ['echo $x', 'echo <*>'],
  ['echo "$x"', 'echo <?>'],
  ['echo "$@"', 'echo <*>'],
  ['echo "${a[@]}"', 'echo <*>'],
  ['echo ${x} "${x}" a$x', 'echo <*> <?> <*>'],
  ['echo $? $# $$ $! $- $0 $1', 'echo <*> <*> <*> <*> <*> <*> <*>'],
  ['echo $', 'echo $'],
  ['echo "$"', 'echo $'],
  ['echo a$ b', 'echo a$ b'],
  ['echo ${x:-y} ${x:+y} ${x#a} ${x%%b} ${x/a/b}', 'echo <*> <*> <*> <*> <*>'],
  ['echo ${#x} ${x^^} ${x:1:2}', 'echo <*> <*> <*>'],
  ['echo ${x:-$(rm y)}', 'rm y ; echo <*>'],
  ['echo "${x:-`rm y`}"', 'rm y ; echo <?>'],
  ['echo "${x:-\'$(rm y)\'}"', '!'],
  ['echo ${x@P}', '!'],
  ['echo ${x@Q}', 'echo <*>'],
  ['echo ${!x}', '!'],
  ['echo ${x', '!'],
  ['echo ${ rm x; }', '!'],
  ['echo $(rm x)', 'rm x ; echo <*>'],
  ['echo "$(rm "x y")"', 'rm "x y" ; echo <?>'],
  ['echo `rm x`', 'rm x ; echo <*>'],
  ['echo `echo \\`rm x\\``', 'rm x ; echo <*> ; echo <*>'],
  ['echo $(echo $(rm x))', 'rm x ; echo <*> ; echo <*>'],
  ['echo $(rm x', '!'],
  ['echo `rm x', '!'],
  ['echo $(( 1 + 2 ))', 'echo <*>'],
  ['echo $((1+$(rm x)))', 'rm x ; echo <*> !'],
  ['echo $((a[$(rm x)]))', 'rm x ; echo <*> !'],
  ["x='a[$(rm y)]'; echo $((x))", 'echo <*> !'],
  ['i=0; echo $((i+1))', 'echo <*>'],
  ['i=$((i+1)); echo $((i))', 'echo <*>'],
  ['n=$(cat f); echo $((n))', 'cat f ; echo <*> !'],
  ['((PATH=3)); ls', 'ls !'],
  ['((x++))', ''],
  ['echo $[1+1]', '!'],
  ['echo $((rm x) )', '!'],
  ['echo *.ts', 'echo <*>'],
  ['echo "*.ts" \\*', 'echo *.ts *'],
  ['echo a?b [ab] a[', 'echo <*> <*> a['],
  ['echo ~ ~/x a~ a=~/b', 'echo <?> <?> a~ <?>'],
  ['git show HEAD~1', 'git show HEAD~1'],
  ['echo {a,b} {1..3} {} {a} a{', 'echo <*> <*> {} {a} a{'],
  ['echo "{a,b}" \\{a,b}', 'echo {a,b} {a,b}'],
  ['{rm,-rf,x}', '<*> !'],
  ['$x rm', '<*> rm !'],
  ['"$x" rm', '<?> rm !'],
  ['$(echo rm) x', 'echo rm ; <*> x !'],
  ['r? x', '<*> x !'],
  ['~/bin/x', '<?> !'],
  ['cat <(rm x) >(ls)', 'rm x ; ls ; cat <?> <?>'],
  ['echo @(a|b)', '!'],
];

const LISTS: readonly Row[] = [
  ['a; b', 'a ; b'],
  ['a && b || c', 'a ; b ; c'],
  ['a & b &', 'a ; b'],
  ['a | b |& c', 'a ; b ; c'],
  ['a |\n b &&\n c', 'a ; b ; c'],
  ['a\nb\n\nc', 'a ; b ; c'],
  ['! a', 'a'],
  ['time a', 'a'],
  ['time -p a | b', 'a ; b'],
  ['! time a', 'a'],
  ['time -f x a', '!'],
  ['coproc rm x', '!'],
  ['(a; b)', 'a ; b'],
  ['( (a) )', 'a'],
  ['{ a; b; }', 'a ; b'],
  ['{ a; b }', '!'],
  ['if a; then b; elif c; then d; else e; fi', 'a ; b ; c ; d ; e'],
  ['if a; then b', '!'],
  ['while a; do b; done', 'a ; b'],
  ['until a; do b; done < f', 'a ; b {read f}'],
  ['for x in a b; do rm "$x"; done', 'rm <?>'],
  ['for x in $(rm y); do ls; done', 'rm y ; ls'],
  ['for x; do ls; done', 'ls'],
  ['for ((i=0;i<3;i++)); do ls; done', 'ls'],
  ['select x in a b; do ls; done', 'ls'],
  ['case $x in a|b) c;; (d) e;; *) f; esac', 'c ; e ; f'],
  ['case $(rm x) in a) ;; esac', 'rm x'],
  ['case x in x) a;& y) b;;& esac', 'a ; b'],
  ['[[ $a == b* && -f $(rm x) ]]', 'rm x'],
  ['[[ a =~ ^[0-9]+$ ]] && b', 'b'],
  ['[[ a =~ (a|b) ]]', '!'],
  ['[[ -v a[$(rm)] ]]', '!'],
  ["[[ 'a[$(rm x)]' -eq 1 ]]", '!'],
  ['[[ $x -eq 1 ]]', ''],
  ['f() { rm x; }', 'rm x'],
  ['f() { rm x; }; f', 'rm x ; f !'],
  ['ls; ls() { rm x; }', 'ls ; rm x !'],
  ['function f { a; }', 'a'],
  ['function f() ( a )', 'a'],
  ['f() rm x', '!'],
  ['a=b', ''],
  ['a=b c=d e', 'e'],
  ['a=(x $(rm y) z)', 'rm y'],
  ['a+=b; a+=(c)', ''],
  ['a[1]=x', ''],
  ['a[$(rm x)]=1', 'rm x !'],
  ['if=rm; $if x', '<*> x !'],
  ['x=1 if', 'if'],
  ['echo if then fi', 'echo if then fi'],
  ['then a', '!'],
  ['a;;b', '!'],
  ['a & && b', '!'],
  ['; a', '!'],
  ['a (b)', '!'],
  ['a)', '!'],
  ['PA\\\nTH=/x ls', 'ls !'],
  ['IFS=, ls', 'ls !'],
  ['LD_PRELOAD=./x ls', 'ls !'],
  ['GIT_PAGER=cat git log', 'git log'],
  ["GIT_SSH_COMMAND='rm x' git fetch", 'git fetch !'],
  ['FOO=1 make', 'make'],
];

const REDIRECTIONS: readonly Row[] = [
  ['a > f', 'a {write f}'],
  ['a >> f 2>&1', 'a {write f}'],
  ['a 2>/dev/null', 'a'],
  ['a &> f', 'a {write f}'],
  ['a >& f', 'a {write f}'],
  ['a >| f', 'a {write f}'],
  ['a < f', 'a {read f}'],
  ['a <> f', 'a {write f} {read f}'],
  ['> f', '{write f}'],
  ['> f rm x', 'rm x {write f}'],
  ['a > "$x"', 'a {write <?>}'],
  ['a > $(rm x)', 'rm x ; a {write <*>}'],
  ['a > >(b)', 'b ; a'],
  ['a {fd}> f', '!'],
  ['a > /dev/tcp/host/80', 'a {write /dev/tcp/host/80} !'],
  ['{ a; } > f 2> g', 'a {write f} {write g}'],
  ['cat <<E\ntext $x\nE', 'cat'],
  ['cat <<E\n$(rm x)\nE\nls', 'cat ; rm x ; ls'],
  ["cat <<'E'\n$(rm x)\nE\nls", 'cat ; ls'],
  ['cat <<\\E\n$(rm x)\nE', 'cat'],
  ['cat <<-E\n\ta\n\tE\nls', 'cat ; ls'],
  ['cat <<E | b\na\nE', 'cat ; b'],
  ['cat <<A <<B\na\nA\nb\nB\nls', 'cat ; ls'],
  ['cat <<E\na', '!'],
  ['cat <<E\na\\\nE\nE', '!'],
  ['cat <<E $(\nrm x\nE\n)', '!'],
  ['echo $(cat <<E\na\nE\n)', 'cat ; echo <*>'],
  ['cat <<< "$(rm x)"', 'rm x ; cat'],
];

/** The order of calls follows the position at which a command ends; the table does not depend on it. */
function sortCalls(text: string): string {
  return text.replace(/ !$/, '').split(' ; ').sort().join(' ; ');
}

function check(command: string, expected: string, shell?: string): void {
  const found = formatCalls(command, shell);
  if (expected === '!') expect(found).toMatch(/!$/);
  else {
    expect(sortCalls(found)).toBe(sortCalls(expected));
    expect(found.endsWith('!')).toBe(expected.endsWith(' !'));
  }
}

describe('bash', () => {
  test.each(QUOTES)('quotes: %j', (command, expected) => check(command, expected));
  test.each(EXPANSIONS)('expansions: %j', (command, expected) => check(command, expected));
  test.each(LISTS)('lists: %j', (command, expected) => check(command, expected));
  test.each(REDIRECTIONS)('redirections: %j', (command, expected) => check(command, expected));
});

describe('other shells', () => {
  test.each([
    ['ls | grep x && rm y', 'ls ; grep x ; rm y'],
    ["$'\\x72m' x", '!'],
    ['a &> b', '!'],
    ['cat <(rm x)', '!'],
    ['[[ a ]]', '!'],
    ['a=(b)', '!'],
    ['cat <<< a', '!'],
    ['time a', '!'],
    ['a |& b', '!'],
    ['function f { a; }', '!'],
  ] satisfies Row[])('sh: %j', (command, expected) => {
    check(command, expected, '/bin/sh');
    check(command, expected, '/usr/bin/dash');
  });

  test.each(['/bin/zsh', '/usr/bin/fish', 'cmd.exe', ''])('%j is not understood', (shell) => {
    expect(parseShellCommand('ls', shell).problems).not.toEqual([]);
  });
});

test('variables are listed for the call they are set for, or for all calls', () => {
  const list = (command: string) => parseShellCommand(command, 'bash').commands.map(({ assignments }) => assignments);
  expect(list('A=1 B=2 a; b')).toEqual([['A', 'B'], []]);
  expect(list('A=1; a; b')).toEqual([['A'], ['A']]);
  expect(list('export A=1; a')).toEqual([['A'], ['A']]);
  expect(list('env A=1 B="$x" a')).toEqual([[], ['A', 'B']]);
  expect(list('read A; a')).toEqual([['A'], ['A']]);
});
