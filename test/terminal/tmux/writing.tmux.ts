// Writing at a terminal: looking for earlier words, one's own editor, much at once, and a terminal that changes meanwhile.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { isAlive, numbers } from '../../support/processes.ts';
import { newPlace, type Place } from '../../support/program.ts';
import { sessionFiles } from '../../support/session-files.ts';
import { begin, isSane, LEFT, READY, sitDown } from './person.ts';

const count = (text: string, words: string) => text.split(words).length - 1;

/** A script in the place of an editor; `$1` is the file. */
function editorIn(place: Place, script: string): { place: Place; env: Record<string, string> } {
  const path = join(place.home, 'editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return { place, env: { EDITOR: path, VISUAL: '', TMPDIR: place.home } };
}

test('Ctrl+R looks for earlier words, also those of an earlier conversation', async () => {
  const place = newPlace();
  const person = await begin({ place });
  await person.ask('say apple', /^apple$/m);
  await person.ask('say pear', /^pear$/m);
  await person.ask('say pineapple', /^pineapple$/m);
  await person.press('C-d');
  await person.sees(LEFT);
  const again = await begin({ place });
  await again.type('half');
  await again.press('C-r');
  await again.sees('earlier words with …');
  await again.type('APPLE');
  await again.sees(/^› say pineapple\n\s+earlier words with “APPLE”/m);
  await again.press('C-r');
  await again.sees(/^› say apple$/m);
  await again.press('C-r');
  await again.sees(/^› say apple\n\s+no more earlier words with “APPLE”/m);
  await again.press('C-c');
  await again.sees(/^› half\nparley/m);
  await again.press('C-r');
  await again.type('pea');
  await again.sees(/^› say pear$/m);
  await again.press('Escape');
  await again.misses('earlier words with');
  await again.type('s');
  await again.sees(/^› say pears$/m);
  await again.press('Up');
  await again.sees(/^› say apple$/m);
  await again.press('C-r');
  await again.type('pinea');
  await again.sees(/^› say pineapple$/m);
  await again.press('Enter');
  await again.sees(/^pineapple$/m);
  await again.sees(READY);
});

test('Ctrl+G hands the draft to an editor while the agent works on, and everything comes back', async () => {
  const { place, env } = editorIn(
    newPlace(),
    `printf '\\033[?1049h\\033[2J\\033[HI am an editor\\n'; stty -a | grep -o '[-]*icanon'
     cp "$1" "$HOME/given"; ls -ld "\${1%/*}" "$1" | cut -c1-10 > "$HOME/modes"; env > "$HOME/env"; : > "$HOME/open"
     while [ ! -e "$HOME/go" ]; do sleep 0.05; done; printf 'say one\\n  and two\\n\\n' > "$1"; printf '\\033[?1049l'`,
  );
  const person = await begin({
    place,
    env: { ...env, ANTHROPIC_API_KEY: 'sk-not-for-editors' },
    args: '--model offline',
  });
  await person.say('run `while [ ! -e over ]; do sleep 0.05; done; echo finished`');
  await person.sees('Working');
  await person.type('a draft');
  await person.sees('› a draft');
  await person.press('C-g');
  await person.sees(/I am an editor\nicanon/);
  await expect.poll(() => existsSync(join(place.home, 'open')), { timeout: 40_000 }).toBe(true);
  writeFileSync(join(place.cwd, 'over'), '');
  // What happens meanwhile is not drawn over the editor; Ctrl+C is not for us.
  await expect.poll(() => sessionsSay(place, 'finished'), { timeout: 40_000 }).toBe(true);
  expect(await person.screen()).toBe('I am an editor\nicanon');
  writeFileSync(join(place.home, 'go'), '');
  await person.sees(/^› say one\n {4}and two$/m);
  await person.sees(/^ {2}finished$/m);
  expect(readFileSync(join(place.home, 'given'), 'utf8')).toBe('a draft');
  expect(readFileSync(join(place.home, 'modes'), 'utf8')).toBe('drwx------\n-rw-------\n');
  expect(readFileSync(join(place.home, 'env'), 'utf8')).not.toContain('sk-not-for-editors');
  expect(readdirSync(place.home).filter((name) => name.startsWith('parley-draft-'))).toEqual([]);
  expect(count(await person.scrollback(), '● bash')).toBe(1);
  await person.press('C-u', 'BSpace', 'C-u');
  await person.sees(READY);
});

test('an editor that dies leaves the draft and the terminal as they were', async () => {
  const { place, env } = editorIn(
    newPlace(),
    `printf '\\033[?1049h\\033[2J\\033[HI am an editor\\033[?1003h'; stty raw -echo; kill -9 $$`,
  );
  const person = await begin({ place, env, columns: 200 });
  await person.type('precious');
  await person.sees('› precious');
  await person.press('C-g');
  await person.sees('editor was killed by SIGKILL; what you had written is as it was before.');
  await person.sees(/^› precious$/m);
  expect(await person.fact('#{alternate_on}')).toBe('0');
  expect(await person.fact('#{mouse_any_flag}')).toBe('0');
  await person.type(' words');
  await person.sees(/^› precious words$/m);
  await person.press('C-u', 'C-d');
  await person.sees(LEFT);
  await isSane(person);
});

test('/edit says what is missing, and what an editor said that could not start', async () => {
  const person = await begin({ env: { EDITOR: '', VISUAL: '' } });
  await person.say('/edit some words');
  await person.sees(/No editor is named\. Set VISUAL or EDITOR and start again/);
  const other = await begin({ env: { EDITOR: '/nowhere/ed --wait', VISUAL: '' } });
  await other.type('kept');
  await other.press('C-g');
  await other.sees(/Cannot start \/nowhere\/ed --wait \(from VISUAL or EDITOR\)/);
  await other.sees(/^› kept$/m);
  const third = await begin({ env: { EDITOR: 'printf "%s" quoted >', VISUAL: '' } });
  await third.say('/edit some words');
  await third.sees(/^› quoted$/m);
});

test('SIGTERM while the editor is open ends both, and the terminal is as it was', async () => {
  const script = `echo $$ $PPID > "$HOME/pids"; echo open; while :; do sleep 0.1; done`;
  const { place, env } = editorIn(newPlace(), script);
  const person = await sitDown({ place, env, args: '; echo code $?' });
  await person.sees(READY);
  await person.press('C-g');
  await person.sees(/^open$/m);
  const [editor = 0, parley = 0] = numbers(readFileSync(join(place.home, 'pids'), 'utf8'));
  process.kill(parley, 'SIGTERM');
  await person.sees(/code 143/);
  await isSane(person);
  await expect.poll(() => isAlive(editor), { timeout: 40_000 }).toBe(false);
});

test('Ctrl+Z where no shell could bring it back changes nothing', async () => {
  const person = await begin();
  await person.press('C-d');
  await person.sees(LEFT);
  await person.say(`clear; exec node ${inject('program')}`);
  await person.sees(READY);
  await person.type('still');
  await person.sees('› still');
  await person.press('C-z');
  await person.type(' here');
  await person.sees(/^› still here\nparley/m);
  expect(count(await person.scrollback(), '› still')).toBe(1);
});

test('a thousand pasted lines are one draft, and said as one', async () => {
  const person = await begin();
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at + 1} 日本 \u001b[31m`);
  await person.paste(`${lines.join('\n')}`);
  await person.sees(/^ {2}line 999 日本 \[31m\n {2}line 1000 日本 \[31m\nparley/m);
  await person.press('C-p');
  await person.type('!');
  await person.sees(/^ {2}line 999 日本 \[31m!$/m);
  await person.press('C-c');
  await person.sees(READY);
});

test('resized in mid-stream: every line once, the live part once', async () => {
  const person = await begin({ columns: 100, rows: 24 });
  await person.say('run `i=0; while [ ! -e over ]; do i=$((i+1)); echo row $i of many; sleep 0.02; done`');
  await person.sees(/^ {2}row \d\d+ of many$/m);
  for (const columns of [50, 80, 30, 100]) {
    await person.resize(columns, 24);
    const rows = /row (\d+) of many\s+(?:⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏) Working/;
    const then = Number(rows.exec(await person.sees(rows))?.[1]);
    await person.sees(new RegExp(`row (?!${then} )\\d+ of many\\s+. Working`));
  }
  writeFileSync(join(person.cwd, 'over'), '');
  await person.misses('Working');
  await person.sees(READY);
  const all = await person.scrollback();
  expect([count(all, '● bash'), count(all, 'Working'), count(all, 'parley/offline ·')]).toEqual([1, 0, 1]);
});

test('where nothing is drawn, words that come back are seen', async () => {
  const { place, env } = editorIn(newPlace(), `printf 'say edited' > "$1"`);
  const person = await sitDown({ place, env: { ...env, TERM: 'dumb' } });
  await person.sees(/^>$/m);
  await person.say('say one');
  await person.sees(/^one[\s\S]*^>$/m);
  await person.say('/branch');
  await person.sees(/Begin again before which message\?[\s\S]*1\. say one/);
  await person.say('1');
  await person.sees(/Another way from here[\s\S]*^> say one$/m);
  await person.say(' more');
  await person.sees(/^› say one more$[\s\S]*^>$/m);
  await person.say('/edit');
  await person.sees(/^> say edited$/m);
  await person.press('Enter');
  await person.sees(/^edited$/m);
  expect(await person.screen(true)).not.toContain('\u001b');
});

function sessionsSay(place: Place, words: string): boolean {
  return sessionFiles(place.home).some((path) => readFileSync(path, 'utf8').includes(`"text":"${words}`));
}
