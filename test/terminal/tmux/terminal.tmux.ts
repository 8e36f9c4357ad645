// The terminal itself: its size, its colours, what must not reach it, and that it is given back however things end.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlace } from '../../support/program.ts';
import { begin, isSane, LEFT, READY, sitDown } from './person.ts';

const count = (text: string, words: string) => text.split(words).length - 1;

test('hostile text is read, never obeyed', async () => {
  const place = newPlace();
  const evil = '\u001b[2J\u001b[H\u001b]0;pwned\u0007\u001b[31mred\u001b[?1049h\u009b5n\u001bP+q\u001b\\\u202edesrever';
  writeFileSync(join(place.cwd, 'evil.txt'), `begin ${evil} end\n`);
  mkdirSync(join(place.cwd, 'names'));
  writeFileSync(join(place.cwd, 'names', 'a\u001b]0;pwned\u0007\u001b[2Jb'), 'x');
  const extension = join(place.home, 'evil.mjs');
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
  const person = await begin({ place, args: `-e ${extension}`, rows: 50, columns: 120 });
  await person.ask('Read evil.txt', /begin .*end/);
  await person.ask('list names', '● ls names');
  await person.say('/name \u00a0evil');
  await person.say('/evil');
  await person.sees(/choose [\s\S]*1\. one/);
  await person.press('Escape');
  await person.sees(READY);
  await person.say('/help');
  await person.sees('/evil');
  const all = await person.scrollback();
  expect(all).toContain('Parley 0');
  expect(all).toContain('› Read evil.txt');
  expect(all).not.toContain('\u202e');
  expect(await person.fact('#{pane_title}')).toContain('title ␛[2J');
  expect(await person.fact('#{alternate_on}')).toBe('0');
});

test('narrower and wider again: nothing is lost, nothing is doubled, the draft stays', async () => {
  const person = await begin({ columns: 100, rows: 24 });
  await person.ask('say hello', /^hello$/m);
  await person.type('a draft that is long enough to be wrapped in a terminal of forty columns');
  await person.sees('forty columns');
  await person.resize(40, 20);
  await person.sees(/› a draft that is long enough to be wra\n {2}pped in/);
  await person.resize(30, 12);
  await person.sees(/columns\n/);
  await person.resize(100, 24);
  await person.sees('› a draft that is long enough to be wrapped in a terminal of forty columns');
  const all = await person.scrollback();
  expect(count(all, '› a draft')).toBe(1);
  expect(count(all, '· /help')).toBeGreaterThanOrEqual(1);
  expect(count(all, '› say hello')).toBe(1);
});

test('resized while it works: no line of the live part stays behind', async () => {
  const person = await begin({ columns: 100, rows: 24 });
  await person.say('run `echo begun; sleep 300`');
  await person.sees(/^ {2}begun$/m);
  await person.type('a draft that is long enough to be wrapped in a terminal of forty columns');
  await person.sees('forty columns');
  for (const columns of [40, 70, 30, 100]) {
    await person.resize(columns, 24);
    await person.sees(/Working[\s\S]*columns\n[\s\S]*offline/);
  }
  await person.sees('› a draft that is long enough to be wrapped in a terminal of forty columns');
  const all = await person.scrollback();
  expect([count(all, 'Working'), count(all, '› a draft'), count(all, '● bash')]).toEqual([1, 1, 1]);
});

test('wide letters, pictures and marks stand where they should', async () => {
  const person = await begin({ columns: 40 });
  await person.type('日本語 e\u0301 ok');
  await person.sees('› 日本語 e\u0301 ok');
  expect(Number(await person.fact('#{cursor_x}'))).toBe(2 + 6 + 1 + 1 + 1 + 2);
  await person.press('C-a', 'Right', 'BSpace');
  await person.sees('› 本語 e\u0301 ok');
  await person.press('C-e', 'BSpace', 'BSpace', 'BSpace', 'BSpace');
  await person.sees(/^› 本語$/m);
});

test('SIGTERM, and the death of the agent, give the terminal back', async () => {
  const person = await sitDown({ args: '& fg; echo code $?' });
  await person.sees(READY);
  await person.say('!kill -TERM $(ps -o ppid= -p $PPID)');
  await person.sees(/code 143/);
  await isSane(person);
  const other = await sitDown({ args: '; echo code $?' });
  await other.sees(READY);
  await other.say('!kill -KILL $PPID');
  await other.sees(/code 1$/m);
  await isSane(other);
});

test('Ctrl+Z leaves it to the shell, fg comes back with everything', async () => {
  const person = await begin();
  await person.type('half a sen');
  await person.sees('› half a sen');
  await person.press('C-z');
  await person.sees(LEFT);
  await isSane(person);
  await person.say('fg');
  await person.sees(/^› half a sen$/m);
  await person.type('tence');
  await person.sees(/^› half a sentence$/m);
});

test('NO_COLOR leaves marks and takes colours; TERM=dumb takes everything', async () => {
  const person = await begin({ env: { NO_COLOR: '1' } });
  await person.ask('say hello', /^hello$/m);
  const looks = await person.screen(true);
  expect(looks).toContain('\u001b[1m');
  expect(looks.split('\u001b[').filter((piece) => /^[0-9;]*3[1-6]m/.test(piece))).toEqual([]);
  const dumb = await sitDown({ env: { TERM: 'dumb' } });
  await dumb.sees(/^>$/m);
  await dumb.say('say hello');
  await dumb.sees(/› say hello/);
  await dumb.sees(/[Hh]ello[\s\S]*\n>$/);
  await dumb.say('/thinking');
  await dumb.sees(/How hard[\s\S]*2\. minimal/);
  await dumb.say('minimal');
  await dumb.sees('Thinking: minimal');
  await dumb.press('C-d');
  await dumb.sees(LEFT);
  expect(await dumb.screen(true)).not.toContain('\u001b');
});

test('a terminal of twenty columns is enough', async () => {
  const person = await begin({ columns: 20, rows: 10 });
  await person.ask('say hello', /^hello$/m);
  await person.say('/session');
  await person.sees('messages');
});
