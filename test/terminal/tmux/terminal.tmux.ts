// Terminal handling: size, colours, sanitized output, and restoring the terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories } from '../../support/program.ts';
import { AT_SHELL_PROMPT, EMPTY_INPUT, expectUsableShell, startConversation, startInTmux } from './tmux-terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

test('hostile text is sanitized', async () => {
  const directories = createDirectories();
  const evil = '\u001b[2J\u001b[H\u001b]0;pwned\u0007\u001b[31mred\u001b[?1049h\u009b5n\u001bP+q\u001b\\\u202edesrever';
  writeFileSync(join(directories.cwd, 'evil.txt'), `begin ${evil} end\n`);
  mkdirSync(join(directories.cwd, 'names'));
  writeFileSync(join(directories.cwd, 'names', 'a\u001b]0;pwned\u0007\u001b[2Jb'), 'x');
  const extension = join(directories.home, 'evil.mjs');
  writeFileSync(
    extension,
    `export default (pi) => pi.registerCommand('evil', { description: ${JSON.stringify(evil)}, handler: async (_, ctx) => {
      const evil = ${JSON.stringify(evil)};
      ctx.ui.setStatus('e', evil); ctx.ui.setWidget('e', [evil]); ctx.ui.setTitle('title ' + evil);
      ctx.ui.notify('noted ' + evil);
      process.stdout.write(evil + 'written\\n'); process.stderr.write(evil + 'to stderr\\n');
      await ctx.ui.select('choose ' + evil, ['one ' + evil, 'two']);
    } });`,
  );
  const terminal = await startConversation({ directories, args: `-e ${extension}`, rows: 50, columns: 120 });
  await terminal.prompt('Read evil.txt', /begin .*end/);
  await terminal.prompt('list names', '● ls names');
  await terminal.sendLine('/name \u00a0evil');
  await terminal.sendLine('/evil');
  await terminal.waitFor(/choose [\s\S]*1\. one/);
  await terminal.press('Escape');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.sendLine('/help');
  await terminal.waitFor('/evil');
  const all = await terminal.scrollback();
  expect(all).toContain('Parley 0');
  expect(all).toContain('› Read evil.txt');
  expect(all).not.toContain('\u202e');
  expect(await terminal.queryPane('#{pane_title}')).toContain('title ␛[2J');
  expect(await terminal.queryPane('#{alternate_on}')).toBe('0');
});

test('resizing loses and duplicates no lines and retains the draft', async () => {
  const terminal = await startConversation({ columns: 100, rows: 24 });
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.type('a draft that is long enough to be wrapped in a terminal of forty columns');
  await terminal.waitFor('forty columns');
  await terminal.resize(40, 20);
  await terminal.waitFor(/› a draft that is long enough to be wra\n {2}pped in/);
  await terminal.resize(30, 12);
  await terminal.waitFor(/columns\n/);
  await terminal.resize(100, 24);
  await terminal.waitFor('› a draft that is long enough to be wrapped in a terminal of forty columns');
  const all = await terminal.scrollback();
  expect(count(all, '› a draft')).toBe(1);
  expect(count(all, '· /help')).toBeGreaterThanOrEqual(1);
  expect(count(all, '› say hello')).toBe(1);
});

test('resizing during a run leaves no stale live rows', async () => {
  const terminal = await startConversation({ columns: 100, rows: 24 });
  await terminal.sendLine('run `echo begun; sleep 300`');
  await terminal.waitFor(/^ {2}begun$/m);
  await terminal.type('a draft that is long enough to be wrapped in a terminal of forty columns');
  await terminal.waitFor('forty columns');
  for (const columns of [40, 70, 30, 100]) {
    await terminal.resize(columns, 24);
    await terminal.waitFor(/Working[\s\S]*columns\n[\s\S]*offline/);
  }
  await terminal.waitFor('› a draft that is long enough to be wrapped in a terminal of forty columns');
  const all = await terminal.scrollback();
  expect([count(all, 'Working'), count(all, '› a draft'), count(all, '● bash')]).toEqual([1, 1, 1]);
});

test('the cursor is placed correctly after wide and combining characters', async () => {
  const terminal = await startConversation({ columns: 40 });
  await terminal.type('日本語 e\u0301 ok');
  await terminal.waitFor('› 日本語 e\u0301 ok');
  expect(Number(await terminal.queryPane('#{cursor_x}'))).toBe(2 + 6 + 1 + 1 + 1 + 2);
  await terminal.press('C-a', 'Right', 'BSpace');
  await terminal.waitFor('› 本語 e\u0301 ok');
  await terminal.press('C-e', 'BSpace', 'BSpace', 'BSpace', 'BSpace');
  await terminal.waitFor(/^› 本語$/m);
});

test('the terminal is restored after SIGTERM and when the agent is killed', async () => {
  const terminal = await startInTmux({ args: '& fg; echo code $?' });
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.sendLine('!kill -TERM $(ps -o ppid= -p $PPID)');
  await terminal.waitFor(/code 143/);
  await expectUsableShell(terminal);
  const other = await startInTmux({ args: '; echo code $?' });
  await other.waitFor(EMPTY_INPUT);
  await other.sendLine('!kill -KILL $PPID');
  await other.waitFor(/code 1$/m);
  await expectUsableShell(other);
});

test('Ctrl+Z suspends, and fg restores the draft', async () => {
  const terminal = await startConversation();
  await terminal.type('half a sen');
  await terminal.waitFor('› half a sen');
  await terminal.press('C-z');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
  await terminal.sendLine('fg');
  await terminal.waitFor(/^› half a sen$/m);
  await terminal.type('tence');
  await terminal.waitFor(/^› half a sentence$/m);
});

test('NO_COLOR removes colours; TERM=dumb removes all escape sequences', async () => {
  const terminal = await startConversation({ env: { NO_COLOR: '1' } });
  await terminal.prompt('say hello', /^hello$/m);
  const styledScreen = await terminal.screen(true);
  expect(styledScreen).toContain('\u001b[1m');
  expect(styledScreen.split('\u001b[').filter((piece) => /^[0-9;]*3[1-6]m/.test(piece))).toEqual([]);
  const dumb = await startInTmux({ env: { TERM: 'dumb' } });
  await dumb.waitFor(/^>$/m);
  await dumb.sendLine('say hello');
  await dumb.waitFor(/› say hello/);
  await dumb.waitFor(/[Hh]ello[\s\S]*\n>$/);
  await dumb.sendLine('/thinking');
  await dumb.waitFor(/Select a thinking level[\s\S]*2\. minimal/);
  await dumb.sendLine('minimal');
  await dumb.waitFor('Thinking: minimal');
  await dumb.press('C-d');
  await dumb.waitFor(AT_SHELL_PROMPT);
  expect(await dumb.screen(true)).not.toContain('\u001b');
});

test('works with twenty columns', async () => {
  const terminal = await startConversation({ columns: 20, rows: 10 });
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.sendLine('/session');
  await terminal.waitFor('messages');
});
