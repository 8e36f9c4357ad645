// Conversations at a terminal: the words with a slash, as a person uses them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { newPlace } from '../../support/program.ts';
import { begin, LEFT, READY, sitDown } from './person.ts';

test('a conversation is named, left, found again and gone on with', async () => {
  const place = newPlace();
  const person = await begin({ place });
  await person.ask('say hello', /^hello$/m);
  await person.say('/name First Talk');
  await person.sees('This conversation is called First Talk.');
  await person.say('/new');
  await person.sees('── A new conversation ──');
  await person.say('/session');
  await person.sees('0 messages');
  await person.say('/resume');
  await person.sees(/› 1\. First Talk/);
  await person.press('Enter');
  await person.sees('── An earlier conversation: First Talk ──');
  await person.sees(/── An earlier[\s\S]*› say hello/);
  await person.press('C-d');
  await person.sees(LEFT);

  const again = await begin({ place, args: '--continue' });
  await again.sees('› say hello');
  const asked = await sitDown({ place, args: '--resume' });
  await asked.sees(/Which conversation\?\n› 1\. First Talk/);
  await asked.press('Escape');
  await asked.sees(READY);
});

test('another way from an earlier message: its words come back to be changed', async () => {
  const person = await begin();
  await person.ask('say one', /^one$/m);
  await person.ask('say two', /^two$/m);
  await person.say('/branch');
  await person.sees(/Begin again before which message\?\n\s+1\. say one\n› 2\. say two/);
  await person.press('Up', 'Enter');
  await person.sees('── Another way from here');
  await person.sees(/^› say one\n.*parley\/offline/m);
  await person.press('Enter');
  await person.sees(READY);
});

test('another model answers, and thinks as hard as it is told', async () => {
  const place = newPlace();
  const model = { id: 'tiny', name: 'Tiny', contextWindow: 8000, maxTokens: 1000, reasoning: false, input: ['text'] };
  const provider = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [model] };
  writeFileSync(join(place.home, 'models.json'), JSON.stringify({ providers: { mine: provider } }));
  const person = await begin({ place, args: '--provider parley --model offline' });
  await person.say('/thinking high');
  await person.sees('Thinking: high');
  await person.sees('thinking high ·');
  await person.say('/thinking');
  await person.sees('How hard shall the model think?');
  await person.type('low');
  await person.press('Enter');
  await person.sees('thinking low ·');
  await person.press('BTab');
  await person.sees('thinking medium ·');
  await person.say('/model');
  await person.sees('Which model shall answer?');
  await person.type('tiny');
  await person.sees(/^› \d+\. mine\/tiny/m);
  await person.press('Enter');
  await person.sees('mine/tiny answers from here on.');
  await person.say('/model no-such-model');
  await person.sees('No model that can be used is called no-such-model');
  await person.say('/model offline');
  await person.sees('parley/offline answers from here on.');
});

test('the rest of the words: help, a page, a summary, a slip, one that an extension brings', async () => {
  const person = await begin({ rows: 60 });
  await person.say('/help');
  await person.sees('/branch');
  await person.sees('Ctrl+O');
  await person.say('/modle');
  await person.sees('There is no /modle (did you mean /model?); /help lists what there is.');
  await person.ask('say hello', /^hello$/m);
  await person.say('/export page.html');
  await person.sees('Written to');
  expect(existsSync(join(person.cwd, 'page.html'))).toBe(true);
  await person.say('/compact');
  await person.sees(/Nothing to compact|summarised|Summarising failed|too short/i);
  await person.say('/reload');
  await person.sees('are loaded again.');
  await person.say('/clear');
  await person.misses('/branch');
  await person.sees(READY);
  await person.say('/quit');
  await person.sees(LEFT);
});

test('Tab completes words with a slash, what follows them, and files', async () => {
  const person = await begin();
  mkdirSync(join(person.cwd, 'source'));
  writeFileSync(join(person.cwd, 'source', 'readme.txt'), 'x');
  writeFileSync(join(person.cwd, 'source', 'reason.txt'), 'x');
  await person.type('/thi');
  await person.press('Tab');
  await person.sees(/^› \/thinking$/m);
  await person.type('hi');
  await person.press('Tab');
  await person.sees(/^› \/thinking high$/m);
  await person.press('C-u');
  await person.type('look at @so');
  await person.press('Tab');
  await person.sees(/^› look at @source\/$/m);
  await person.press('Tab');
  await person.sees(/^› look at @source\/rea$/m);
  await person.sees(/^ {2}source\/readme\.txt$/m);
  await person.press('Tab');
  await person.sees(/^› look at @source\/readme\.txt$/m);
});

test('what others wrote is read in lists too, never obeyed', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'ask.txt'), 'say hi \u202eevil\u001b[2J');
  const person = await sitDown({ place, args: '< ask.txt; echo do""ne', columns: 200 });
  await person.sees(/^done$/m);
  const parley = `node ${inject('program')}`;
  await person.say(
    `clear; ${parley} sessions; ${parley} sessions --json; ${parley} sessions "$(cat ask.txt)"; echo list""ed`,
  );
  const seen = await person.sees(/^listed$/m);
  expect(seen).toMatch(/^[0-9a-f]{8} .*say hi \ufffdevil␛\[2J$/m);
  expect(seen).toMatch(/"opening":"say hi \ufffdevil/);
  expect(seen).toContain('Unknown word after sessions: say hi \ufffdevil␛[2J');
});
