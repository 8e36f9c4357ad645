// Questions at a terminal: those of extensions, of the approval, and of the project itself.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newPlace } from '../../support/program.ts';
import { begin, READY, sitDown } from './person.ts';

const example = (name: string) => fileURLToPath(new URL(`../../../examples/extensions/${name}.ts`, import.meta.url));

test('an extension asks for words and for a choice, notes both, and shows what goes on', async () => {
  const person = await begin({ args: `-e ${example('slash-command')} -e ${example('status-widget')}` });
  await person.say('/todo');
  await person.sees(/What is there to do\?\n› e\.g\. write tests\nEnter answers/);
  await person.type('buy milk');
  await person.sees('› buy milk');
  await person.press('Enter');
  await person.sees(/When\?\n› 1\. today\n {2}2\. tomorrow\n↑↓/);
  await person.press('Down');
  await person.sees('› 2. tomorrow');
  await person.press('Enter');
  await person.sees('Noted task: buy milk (tomorrow)');
  await person.say('/todo');
  await person.sees(/What is there to do\?[\s\S]*Enter answers/);
  await person.press('Escape');
  await person.sees('Nothing noted');
  await person.say('what files are here?');
  await person.sees(/^ls: 1$/m);
});

test('a dangerous command runs only after a yes; typing on is no yes', async () => {
  const person = await begin({ args: `-e ${example('permission-gate')}` });
  mkdirSync(join(person.cwd, 'precious'));
  await person.say('run `rm -rf precious`');
  await person.sees(/Dangerous command\nrm -rf precious\n {2}1\. Yes\n› 2\. No\n↑↓/);
  await person.press('Enter');
  await person.sees('The user refused the command');
  expect(existsSync(join(person.cwd, 'precious'))).toBe(true);
  await person.misses('Working');
  await person.say('run `rm -rf precious`');
  await person.sees(/Dangerous command\nrm -rf precious\n {2}1\. Yes\n› 2\. No\n↑↓.*s left/);
  await person.type('1');
  await person.sees('› 1. Yes');
  await person.press('Enter');
  await person.misses('Dangerous command');
  await person.misses('Working');
  expect(existsSync(join(person.cwd, 'precious'))).toBe(false);
});

test('tools are approved one by one where the settings say so', async () => {
  const person = await begin({ args: '--set approval=on-write' });
  await person.say('create hello.txt with the content hi');
  await person.sees(/Allow write\?[\s\S]*hello\.txt[\s\S]*› 1\. allow\n {2}2\. deny\n {2}3\. allow_session\n↑↓/);
  await person.press('Down', 'Enter');
  await person.sees('The user does not allow write here.');
  await person.misses('Working');
  expect(existsSync(join(person.cwd, 'hello.txt'))).toBe(false);
  await person.say('create hello.txt with the content hi');
  await person.sees(/Allow write\?[\s\S]*› 1\. allow\n[\s\S]*↑↓/);
  await person.press('Enter');
  await person.misses('Allow write?');
  await person.misses('Working');
  expect(existsSync(join(person.cwd, 'hello.txt'))).toBe(true);
});

test('a project that brings something along is asked about, and counts after a yes', async () => {
  const place = newPlace();
  mkdirSync(join(place.cwd, '.parley/prompts'), { recursive: true });
  writeFileSync(join(place.cwd, '.parley/prompts/greet.md'), 'say hello to $1\n');
  const person = await sitDown({ place });
  await person.sees(/Trust this project\?[\s\S]*› 2\. No\n↑↓/);
  await person.press('Up', 'Enter');
  await person.sees('This project is trusted.');
  await person.sees(READY);
  await person.type('/gre');
  await person.press('Tab');
  await person.sees(/^› \/greet$/m);
  const again = await begin({ place });
  expect(await again.screen()).not.toContain('Trust this project?');
});
