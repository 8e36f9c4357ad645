// Input in a terminal: history search, external editor, pasted text, resizing and suspending.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { isAlive, parseNumbers } from '../../support/processes.ts';
import { createDirectories, type ProgramDirectories } from '../../support/program.ts';
import { listSessionFiles } from '../../support/session-files.ts';
import { AT_SHELL_PROMPT, EMPTY_INPUT, expectUsableShell, startConversation, startInTmux } from './tmux-terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

/** Creates a script that replaces the editor; `$1` is the file. */
function createEditor(
  programDirectories: ProgramDirectories,
  script: string,
): { directories: ProgramDirectories; env: Record<string, string> } {
  const path = join(programDirectories.home, 'editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return { directories: programDirectories, env: { EDITOR: path, VISUAL: '', TMPDIR: programDirectories.home } };
}

test('Ctrl+R searches the input history, including earlier sessions', async () => {
  const directories = createDirectories();
  const terminal = await startConversation({ directories });
  await terminal.prompt('say apple', /^apple$/m);
  await terminal.prompt('say pear', /^pear$/m);
  await terminal.prompt('say pineapple', /^pineapple$/m);
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  const secondTerminal = await startConversation({ directories });
  await secondTerminal.type('half');
  await secondTerminal.press('C-r');
  await secondTerminal.waitFor('history matches for …');
  await secondTerminal.type('APPLE');
  await secondTerminal.waitFor(/^› say pineapple\n\s+history matches for “APPLE”/m);
  await secondTerminal.press('C-r');
  await secondTerminal.waitFor(/^› say apple$/m);
  await secondTerminal.press('C-r');
  await secondTerminal.waitFor(/^› say apple\n\s+no more history matches for “APPLE”/m);
  await secondTerminal.press('C-c');
  await secondTerminal.waitFor(/^› half\nparley/m);
  await secondTerminal.press('C-r');
  await secondTerminal.type('pea');
  await secondTerminal.waitFor(/^› say pear$/m);
  await secondTerminal.press('Escape');
  await secondTerminal.waitUntilGone('history matches for');
  await secondTerminal.type('s');
  await secondTerminal.waitFor(/^› say pears$/m);
  await secondTerminal.press('Up');
  await secondTerminal.waitFor(/^› say apple$/m);
  await secondTerminal.press('C-r');
  await secondTerminal.type('pinea');
  await secondTerminal.waitFor(/^› say pineapple$/m);
  await secondTerminal.press('Enter');
  await secondTerminal.waitFor(/^pineapple$/m);
  await secondTerminal.waitFor(EMPTY_INPUT);
});

test('Ctrl+G opens the draft in an editor while the run continues', async () => {
  const { directories, env } = createEditor(
    createDirectories(),
    `printf '\\033[?1049h\\033[2J\\033[HI am an editor\\n'; stty -a | grep -o '[-]*icanon'
     cp "$1" "$HOME/original"; ls -ld "\${1%/*}" "$1" | cut -c1-10 > "$HOME/modes"; env > "$HOME/env"; : > "$HOME/open"
     while [ ! -e "$HOME/go" ]; do sleep 0.05; done; printf 'say one\\n  and two\\n\\n' > "$1"; printf '\\033[?1049l'`,
  );
  const terminal = await startConversation({
    directories,
    env: { ...env, ANTHROPIC_API_KEY: 'sk-not-for-editors' },
    args: '--model offline',
  });
  await terminal.sendLine('run `while [ ! -e over ]; do sleep 0.05; done; echo finished`');
  await terminal.waitFor('Working');
  await terminal.type('a draft');
  await terminal.waitFor('› a draft');
  await terminal.press('C-g');
  await terminal.waitFor(/I am an editor\nicanon/);
  await expect.poll(() => existsSync(join(directories.home, 'open')), { timeout: 40_000 }).toBe(true);
  writeFileSync(join(directories.cwd, 'over'), '');
  // Output of the run is not drawn over the editor.
  await expect.poll(() => sessionContains(directories, 'finished'), { timeout: 40_000 }).toBe(true);
  expect(await terminal.screen()).toBe('I am an editor\nicanon');
  writeFileSync(join(directories.home, 'go'), '');
  await terminal.waitFor(/^› say one\n {4}and two$/m);
  await terminal.waitFor(/^ {2}finished$/m);
  expect(readFileSync(join(directories.home, 'original'), 'utf8')).toBe('a draft');
  expect(readFileSync(join(directories.home, 'modes'), 'utf8')).toBe('drwx------\n-rw-------\n');
  expect(readFileSync(join(directories.home, 'env'), 'utf8')).not.toContain('sk-not-for-editors');
  expect(readdirSync(directories.home).filter((name) => name.startsWith('parley-draft-'))).toEqual([]);
  expect(count(await terminal.scrollback(), '● bash')).toBe(1);
  await terminal.press('C-u', 'BSpace', 'C-u');
  await terminal.waitFor(EMPTY_INPUT);
});

test('the draft and the terminal are restored after the editor was killed', async () => {
  const { directories, env } = createEditor(
    createDirectories(),
    `printf '\\033[?1049h\\033[2J\\033[HI am an editor\\033[?1003h'; stty raw -echo; kill -9 $$`,
  );
  const terminal = await startConversation({ directories, env, columns: 200 });
  await terminal.type('precious');
  await terminal.waitFor('› precious');
  await terminal.press('C-g');
  await terminal.waitFor('editor was killed by SIGKILL; your text was not changed.');
  await terminal.waitFor(/^› precious$/m);
  expect(await terminal.queryPane('#{alternate_on}')).toBe('0');
  expect(await terminal.queryPane('#{mouse_any_flag}')).toBe('0');
  await terminal.type(' words');
  await terminal.waitFor(/^› precious words$/m);
  await terminal.press('C-u', 'C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
});

test('/edit reports a missing editor and an editor that cannot be started', async () => {
  const terminal = await startConversation({ env: { EDITOR: '', VISUAL: '' } });
  await terminal.sendLine('/edit some words');
  await terminal.waitFor(/No editor is configured\. Set VISUAL or EDITOR and restart/);
  const other = await startConversation({ env: { EDITOR: '/nowhere/ed --wait', VISUAL: '' } });
  await other.type('draft');
  await other.press('C-g');
  await other.waitFor(/Cannot start \/nowhere\/ed --wait \(from VISUAL or EDITOR\)/);
  await other.waitFor(/^› draft$/m);
  const third = await startConversation({ env: { EDITOR: 'printf "%s" quoted >', VISUAL: '' } });
  await third.sendLine('/edit some words');
  await third.waitFor(/^› quoted$/m);
});

test('SIGTERM stops the editor and the program and restores the terminal', async () => {
  const script = `echo $$ $PPID > "$HOME/pids"; echo open; while :; do sleep 0.1; done`;
  const { directories, env } = createEditor(createDirectories(), script);
  const terminal = await startInTmux({ directories, env, args: '; echo code $?' });
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.press('C-g');
  await terminal.waitFor(/^open$/m);
  const [editor = 0, parley = 0] = parseNumbers(readFileSync(join(directories.home, 'pids'), 'utf8'));
  process.kill(parley, 'SIGTERM');
  await terminal.waitFor(/code 143/);
  await expectUsableShell(terminal);
  await expect.poll(() => isAlive(editor), { timeout: 40_000 }).toBe(false);
});

test('Ctrl+Z does nothing without a parent shell', async () => {
  const terminal = await startConversation();
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await terminal.sendLine(`clear; exec node ${inject('program')}`);
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.type('still');
  await terminal.waitFor('› still');
  await terminal.press('C-z');
  await terminal.type(' here');
  await terminal.waitFor(/^› still here\nparley/m);
  expect(count(await terminal.scrollback(), '› still')).toBe(1);
});

test('a thousand pasted lines are one label, shown whole in the editor and sent whole', async () => {
  const { directories, env } = createEditor(createDirectories(), `cp "$1" "$HOME/original"; echo "say edited" > "$1"`);
  const terminal = await startConversation({ directories, env });
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at + 1} 日本 \u001b[31m`);
  const text = lines.join('\n').replaceAll('\u001b', '');
  await terminal.paste(lines.join('\n'));
  await terminal.waitFor(/^› \[pasted 1000 lines\]\nparley/m);
  await terminal.paste(lines.join('\n'));
  await terminal.waitFor(/^› \[pasted 1000 lines\]\[pasted 1000 lines #2\]\nparley/m);
  await terminal.press('BSpace');
  await terminal.waitFor(/^› \[pasted 1000 lines\]\nparley/m);
  await terminal.press('C-g');
  await terminal.waitFor(/^› say edited$/m);
  expect(readFileSync(join(directories.home, 'original'), 'utf8')).toBe(text);
  await terminal.press('C-u');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.type('!cat > got << END');
  await terminal.press('M-Enter');
  await terminal.paste(lines.join('\n'));
  await terminal.press('M-Enter');
  await terminal.type('END');
  await terminal.waitFor(/^! cat > got << END\n {2}\[pasted 1000 lines\]\n {2}END$/m);
  await terminal.press('Enter');
  await expect.poll(() => existsSync(join(directories.cwd, 'got')), { timeout: 40_000 }).toBe(true);
  await expect.poll(() => readFileSync(join(directories.cwd, 'got'), 'utf8'), { timeout: 40_000 }).toBe(`${text}\n`);
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.press('Up');
  await terminal.waitFor(/^ {2}line 1000 日本 \[31m\n {2}END$/m);
});

test('resizing during streamed output duplicates no lines', async () => {
  const terminal = await startConversation({ columns: 100, rows: 24 });
  await terminal.sendLine('run `i=0; while [ ! -e over ]; do i=$((i+1)); echo row $i of many; sleep 0.02; done`');
  await terminal.waitFor(/^ {2}row \d\d+ of many$/m);
  for (const columns of [50, 80, 30, 100]) {
    await terminal.resize(columns, 24);
    const rows = /row (\d+) of many\s+(?:⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏) Working/;
    const rowNumber = Number(rows.exec(await terminal.waitFor(rows))?.[1]);
    await terminal.waitFor(new RegExp(`row (?!${rowNumber} )\\d+ of many\\s+. Working`));
  }
  writeFileSync(join(terminal.cwd, 'over'), '');
  await terminal.waitUntilGone('Working');
  await terminal.waitFor(EMPTY_INPUT);
  // tmux delays the signal of a resize. In 30 columns the footer is shorter.
  await terminal.waitFor(/^parley\/offline ·/m);
  const all = await terminal.scrollback();
  expect([count(all, '● bash'), count(all, 'Working'), count(all, 'parley/offline ·')]).toEqual([1, 0, 1]);
});

test('TERM=dumb prints text that is put into the draft', async () => {
  const { directories, env } = createEditor(createDirectories(), `printf 'say edited' > "$1"`);
  const terminal = await startInTmux({ directories, env: { ...env, TERM: 'dumb' } });
  await terminal.waitFor(/^>$/m);
  await terminal.sendLine('say one');
  await terminal.waitFor(/^one[\s\S]*^>$/m);
  await terminal.sendLine('/branch');
  await terminal.waitFor(/Branch before which message\?[\s\S]*1\. say one/);
  await terminal.sendLine('1');
  await terminal.waitFor(/New branch[\s\S]*^> say one$/m);
  await terminal.sendLine(' more');
  await terminal.waitFor(/^› say one more$[\s\S]*^>$/m);
  await terminal.sendLine('/edit');
  await terminal.waitFor(/^> say edited$/m);
  await terminal.press('Enter');
  await terminal.waitFor(/^edited$/m);
  expect(await terminal.screen(true)).not.toContain('\u001b');
});

function sessionContains(programDirectories: ProgramDirectories, text: string): boolean {
  return listSessionFiles(programDirectories.home).some((path) =>
    readFileSync(path, 'utf8').includes(`"text":"${text}`),
  );
}
