// A conversation at a terminal, as a person has it: asking, stopping, steering, leaving.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { newPlace } from '../../support/program.ts';
import { pathsBelow } from '../../support/session-files.ts';
import { begin, LEFT, PROMPT, READY, sitDown } from './person.ts';

const count = (text: string, words: string) => text.split(words).length - 1;

test('it greets, and says how to get a real model', async () => {
  const person = await begin();
  await person.sees(/Parley \d/);
  await person.sees('ANTHROPIC_API_KEY');
  await person.sees('parley/offline');
});

test('an answer comes with its tool calls, and everything is printed once', async () => {
  const person = await begin({ rows: 16 });
  writeFileSync(join(person.cwd, 'shopping.txt'), 'milk\nbread\n');
  await person.ask('What files are here?', '● ls');
  await person.ask('Read shopping.txt', '● read shopping.txt');
  const all = await person.scrollback();
  expect(count(all, '› What files are here?')).toBe(1);
  expect(count(all, '› Read shopping.txt')).toBe(1);
  expect(count(all, '● ls')).toBe(1);
  expect(count(all, '● read')).toBe(1);
  expect(count(all, 'parley/offline ·')).toBe(1);
  expect(all).not.toMatch(/\n\n\n+\S/);
});

test('output is seen while it comes; Escape stops the run, and the agent is still there', async () => {
  const person = await begin();
  await person.say('run `echo begun; sleep 300`');
  await person.sees(/^ {2}begun$/m);
  await person.sees('Working');
  await person.press('Escape');
  await person.sees('Stopped.');
  await person.misses('Working');
  await person.say('run `echo still there`');
  await person.sees(/^ {2}still there$/m);
});

test('Ctrl+C stops the run, once more leaves; the shell is as it was', async () => {
  const person = await begin();
  await person.say('run `echo begun; sleep 300`');
  await person.sees(/^ {2}begun$/m);
  await person.press('C-c');
  await person.sees('Stopped.');
  await person.sees(READY);
  // At once, because twice means within two seconds, whatever else the machine does.
  await person.press('C-c', 'C-c');
  await person.sees(new RegExp(`Go on with: parley --session [0-9a-f]{8}\\n+${PROMPT}`));
  await person.say('stty -a | grep -o "[-]\\?\\bicanon\\b"; echo code $?');
  await person.sees(/^icanon$/m);
  expect(await person.fact('#{cursor_flag}')).toBe('1');
});

test('Ctrl+D leaves when nothing is written; with nothing said, nothing is kept', async () => {
  const person = await begin();
  await person.type('x');
  await person.sees('› x');
  await person.press('C-d');
  await person.press('BSpace');
  await person.sees(READY);
  await person.press('C-d');
  await person.sees(LEFT);
  expect(await person.screen()).not.toContain('Go on with');
  expect(pathsBelow(person.home).filter((path) => path.includes('sessions'))).toEqual([]);
});

test('what is said while it works waits where it can be seen, and can be taken back', async () => {
  const person = await begin();
  await person.say('run `sleep 300`');
  await person.sees('● bash sleep 300');
  await person.say('hurry up');
  await person.sees('↳ next: hurry up');
  await person.say('/then run `echo afterwards`');
  await person.sees('↳ afterwards: run `echo afterwards`');
  await person.press('M-Up');
  await person.misses('↳');
  await person.sees('› hurry up');
  await person.press('C-u', 'BSpace', 'C-u');
  await person.sees(READY);
  await person.press('Escape');
  await person.sees('Stopped.');
});

test('several lines: Alt+Enter, a backslash at the end, and what is pasted', async () => {
  const person = await begin({ rows: 50 });
  await person.type('remember one');
  await person.press('M-Enter');
  await person.type('two\\');
  await person.press('Enter');
  await person.type('three');
  await person.sees(/› remember one\n {2}two\n {2}three/);
  await person.paste('four\nfive\n');
  await person.sees(/ {2}threefour\n {2}five/);
  await person.press('Enter');
  await person.sees(/› remember one\n {2}two\n {2}threefour\n {2}five/);
  await person.sees(READY);
  await person.press('Up');
  await person.sees(/› remember one\n {2}two\n {2}threefour\n {2}five\n\s*parley\/offline/);
});

test('a command of one’s own runs with !, and earlier words are kept for their owner only', async () => {
  const place = newPlace();
  const person = await begin({ place });
  await person.say('!echo from-the-shell; exit 3');
  await person.sees(/^\$ echo from-the-shell; exit 3\n {2}from-the-shell\n {2}exit code 3$/m);
  await person.press('C-d');
  await person.sees(LEFT);
  const [file = ''] = pathsBelow(join(place.home, 'history')).filter((path) => path.endsWith('.jsonl'));
  const path = existsSync(file) ? file : join(place.home, 'history', file);
  expect(readFileSync(path, 'utf8')).toBe('"!echo from-the-shell; exit 3"\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = await begin({ place });
  await again.press('Up');
  await again.sees('! echo from-the-shell; exit 3');
});

test('words on the command line, or a pipe, are answered as before', async () => {
  const person = await sitDown({ args: '--no-session hello; echo do""ne' });
  await person.sees(/^done$/m);
  expect(await person.screen()).not.toContain('/help');
  await person.say(`echo 'What files are here?' | ${process.execPath} ${inject('program')} --no-session; echo ne""xt`);
  const seen = await person.sees(/^next$/m);
  expect(seen).toContain('This directory');
  expect(seen).not.toContain('/help');
});

test('an answer to words on the command line is read, never obeyed', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'evil.txt'), 'begin \u001b]0;pwned\u0007\u001b[2J end\n');
  const person = await sitDown({ place, args: `--no-session 'show me evil.txt'; echo do""ne` });
  expect(await person.sees(/^done$/m)).toContain('begin ␛]0;pwned␇␛[2J end');
  expect(await person.fact('#{pane_title}')).not.toContain('pwned');
});

test('a wrong flag is said on a terminal that stays as it was', async () => {
  const person = await sitDown({ args: '--model nothing-like-this; echo code $?' });
  const seen = await person.sees(/^code \d$/m);
  expect(seen).toContain('nothing-like-this');
  expect(seen).toContain('code 1');
  expect(seen).not.toContain('›');
});
