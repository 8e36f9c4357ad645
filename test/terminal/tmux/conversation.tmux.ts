// A conversation in a terminal: sending, stopping, steering and quitting.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createDirectories } from '../../support/program.ts';
import { listPaths } from '../../support/session-files.ts';
import { AT_SHELL_PROMPT, EMPTY_INPUT, SHELL_PROMPT, startConversation, startInTmux } from './tmux-terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

test('the welcome lines explain how to configure a model', async () => {
  const terminal = await startConversation();
  await terminal.waitFor(/Parley \d/);
  await terminal.waitFor('ANTHROPIC_API_KEY');
  await terminal.waitFor('parley/offline');
});

test('messages and tool calls are printed once', async () => {
  const terminal = await startConversation({ rows: 16 });
  writeFileSync(join(terminal.cwd, 'shopping.txt'), 'milk\nbread\n');
  await terminal.prompt('What files are here?', '● ls');
  await terminal.prompt('Read shopping.txt', '● read shopping.txt');
  const all = await terminal.scrollback();
  expect(count(all, '› What files are here?')).toBe(1);
  expect(count(all, '› Read shopping.txt')).toBe(1);
  expect(count(all, '● ls')).toBe(1);
  expect(count(all, '● read')).toBe(1);
  expect(count(all, 'parley/offline ·')).toBe(1);
  expect(all).not.toMatch(/\n\n\n+\S/);
});

test('output is shown live; Escape stops the run but not the agent', async () => {
  const terminal = await startConversation();
  await terminal.sendLine('run `echo begun; sleep 300`');
  await terminal.waitFor(/^ {2}begun$/m);
  await terminal.waitFor('Working');
  await terminal.press('Escape');
  await terminal.waitFor('Stopped.');
  await terminal.waitUntilGone('Working');
  await terminal.sendLine('run `echo still there`');
  await terminal.waitFor(/^ {2}still there$/m);
});

test('Ctrl+C stops the run, Ctrl+C twice quits and restores the terminal', async () => {
  const terminal = await startConversation();
  await terminal.sendLine('run `echo begun; sleep 300`');
  await terminal.waitFor(/^ {2}begun$/m);
  await terminal.press('C-c');
  await terminal.waitFor('Stopped.');
  await terminal.waitFor(EMPTY_INPUT);
  // In one call, because both must arrive within two seconds even on a slow machine.
  await terminal.press('C-c', 'C-c');
  await terminal.waitFor(new RegExp(`Resume with: parley --session [0-9a-f]{8}\\n+${SHELL_PROMPT}`));
  await terminal.sendLine('stty -a | grep -o "[-]\\?\\bicanon\\b"; echo code $?');
  await terminal.waitFor(/^icanon$/m);
  expect(await terminal.queryPane('#{cursor_flag}')).toBe('1');
});

test('Ctrl+D quits only if the draft is empty; a session without messages is not saved', async () => {
  const terminal = await startConversation();
  await terminal.type('x');
  await terminal.waitFor('› x');
  await terminal.press('C-d');
  await terminal.press('BSpace');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  expect(await terminal.screen()).not.toContain('Resume with');
  expect(listPaths(terminal.home).filter((path) => path.includes('sessions'))).toEqual([]);
});

test('messages sent during a run are shown as queued and can be restored', async () => {
  const terminal = await startConversation();
  await terminal.sendLine('run `sleep 300`');
  await terminal.waitFor('● bash sleep 300');
  await terminal.sendLine('hurry up');
  await terminal.waitFor('↳ next: hurry up');
  await terminal.sendLine('/then run `echo afterwards`');
  await terminal.waitFor('↳ follow-up: run `echo afterwards`');
  await terminal.press('M-Up');
  await terminal.waitUntilGone('↳');
  await terminal.waitFor('› hurry up');
  await terminal.press('C-u', 'BSpace', 'C-u');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.press('Escape');
  await terminal.waitFor('Stopped.');
});

test('Escape stops the run and returns queued messages to the input; they are not sent', async () => {
  const terminal = await startConversation();
  await terminal.sendLine('run `sleep 300`');
  await terminal.waitFor('● bash sleep 300');
  await terminal.sendLine('say hurried');
  await terminal.sendLine('/then say afterwards');
  await terminal.waitFor(/↳ next: say hurried\n↳ follow-up: say afterwards\n {2}Alt\+Up to edit\n›$/m);
  await terminal.press('Escape');
  await terminal.waitFor('Stopped.');
  await terminal.waitFor(/^› say hurried\n {2}say afterwards\nparley/m);
  await terminal.waitUntilGone(/Working|↳/);
  await terminal.press('C-u', 'BSpace');
  await terminal.press('Enter');
  await terminal.waitFor(/^hurried$/m);
  await terminal.waitFor(EMPTY_INPUT);
  expect(await terminal.scrollback()).not.toMatch(/^afterwards$/m);
});

test('multiline input: Alt+Enter, a trailing backslash and pasted text', async () => {
  const terminal = await startConversation({ rows: 50 });
  await terminal.type('remember one');
  await terminal.press('M-Enter');
  await terminal.type('two\\');
  await terminal.press('Enter');
  await terminal.type('three');
  await terminal.waitFor(/› remember one\n {2}two\n {2}three/);
  await terminal.paste('four\nfive\n');
  await terminal.waitFor(/ {2}threefour\n {2}five/);
  await terminal.press('Enter');
  await terminal.waitFor(/› remember one\n {2}two\n {2}threefour\n {2}five/);
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.press('Up');
  await terminal.waitFor(/› remember one\n {2}two\n {2}threefour\n {2}five\n\s*parley\/offline/);
});

test('! runs a shell command, and only the owner can read the input history', async () => {
  const directories = createDirectories();
  const terminal = await startConversation({ directories });
  await terminal.sendLine('!echo from-the-shell; exit 3');
  await terminal.waitFor(/^\$ echo from-the-shell; exit 3\n {2}from-the-shell\n {2}exit code 3$/m);
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  const [file = ''] = listPaths(join(directories.home, 'history')).filter((path) => path.endsWith('.jsonl'));
  const path = existsSync(file) ? file : join(directories.home, 'history', file);
  expect(readFileSync(path, 'utf8')).toBe('"!echo from-the-shell; exit 3"\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const secondTerminal = await startConversation({ directories });
  await secondTerminal.press('Up');
  await secondTerminal.waitFor('! echo from-the-shell; exit 3');
});

test('a prompt argument or a pipe runs without the interactive UI', async () => {
  const terminal = await startInTmux({ args: '--no-session hello; echo do""ne' });
  await terminal.waitFor(/^done$/m);
  expect(await terminal.screen()).not.toContain('/help');
  await terminal.sendLine(
    `echo 'What files are here?' | ${process.execPath} ${inject('program')} --no-session; echo ne""xt`,
  );
  const screen = await terminal.waitFor(/^next$/m);
  expect(screen).toContain('This directory');
  expect(screen).not.toContain('/help');
});

test('the output of a prompt argument is sanitized', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'evil.txt'), 'begin \u001b]0;pwned\u0007\u001b[2J end\n');
  const terminal = await startInTmux({ directories, args: `--no-session 'show me evil.txt'; echo do""ne` });
  expect(await terminal.waitFor(/^done$/m)).toContain('begin ␛]0;pwned␇␛[2J end');
  expect(await terminal.queryPane('#{pane_title}')).not.toContain('pwned');
});

test('an invalid flag is reported without the interactive UI', async () => {
  const terminal = await startInTmux({ args: '--model nothing-like-this; echo code $?' });
  const screen = await terminal.waitFor(/^code \d$/m);
  expect(screen).toContain('nothing-like-this');
  expect(screen).toContain('code 1');
  expect(screen).not.toContain('›');
});
