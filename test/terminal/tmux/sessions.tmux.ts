// Slash commands and completion in a terminal.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createDirectories } from '../../support/program.ts';
import { AT_SHELL_PROMPT, EMPTY_INPUT, startConversation, startInTmux } from './tmux-terminal.ts';

test('a session is named, left, listed and resumed', async () => {
  const directories = createDirectories();
  const terminal = await startConversation({ directories });
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.sendLine('/name First Session');
  await terminal.waitFor('Session name set to First Session.');
  await terminal.sendLine('/new');
  await terminal.waitFor('── New session ──');
  await terminal.sendLine('/session');
  await terminal.waitFor('0 messages');
  await terminal.sendLine('/resume');
  await terminal.waitFor(/› 1\. First Session/);
  await terminal.press('Enter');
  await terminal.waitFor('── Resumed session: First Session ──');
  await terminal.waitFor(/── Resumed session[\s\S]*› say hello/);
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);

  const secondTerminal = await startConversation({ directories, args: '--continue' });
  await secondTerminal.waitFor('› say hello');
  const resumed = await startInTmux({ directories, args: '--resume' });
  await resumed.waitFor(/Select a session\n› 1\. First Session/);
  await resumed.press('Escape');
  await resumed.waitFor(EMPTY_INPUT);
});

test('/branch puts the chosen message back into the draft', async () => {
  const terminal = await startConversation();
  await terminal.prompt('say one', /^one$/m);
  await terminal.prompt('say two', /^two$/m);
  await terminal.sendLine('/branch');
  await terminal.waitFor(/Branch before which message\?\n\s+1\. say one\n› 2\. say two/);
  await terminal.press('Up', 'Enter');
  await terminal.waitFor('── New branch');
  await terminal.waitFor(/^› say one\n.*parley\/offline/m);
  await terminal.press('Enter');
  await terminal.waitFor(EMPTY_INPUT);
});

test('/model and /thinking change the model and the thinking level', async () => {
  const directories = createDirectories();
  const model = { id: 'tiny', name: 'Tiny', contextWindow: 8000, maxTokens: 1000, reasoning: false, input: ['text'] };
  const provider = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [model] };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { mine: provider } }));
  const terminal = await startConversation({ directories, args: '--provider parley --model offline' });
  await terminal.sendLine('/thinking high');
  await terminal.waitFor('Thinking: high');
  await terminal.waitFor('thinking high ·');
  await terminal.sendLine('/thinking');
  await terminal.waitFor('Select a thinking level');
  await terminal.type('low');
  await terminal.press('Enter');
  await terminal.waitFor('thinking low ·');
  await terminal.press('BTab');
  await terminal.waitFor('thinking medium ·');
  await terminal.sendLine('/model');
  await terminal.waitFor('Select a model');
  await terminal.type('tiny');
  await terminal.waitFor(/^› mine\/tiny {2}Tiny {2}8k context$/m);
  await terminal.press('Enter');
  await terminal.waitFor('mine/tiny is now the selected model.');
  await terminal.sendLine('/model no-such-model');
  await terminal.waitFor('Model not available: no-such-model');
  await terminal.sendLine('/model offline');
  await terminal.waitFor('parley/offline is now the selected model.');
});

test('/help, /export, /compact, /reload, /clear, /quit and an unknown command', async () => {
  const terminal = await startConversation({ rows: 60 });
  await terminal.sendLine('/help');
  await terminal.waitFor('/branch');
  await terminal.waitFor('Ctrl+O');
  await terminal.sendLine('/modle');
  await terminal.waitFor('Unknown command: /modle (did you mean /model?). Run /help to list all commands.');
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.sendLine('/export page.html');
  await terminal.waitFor('Written to');
  expect(existsSync(join(terminal.cwd, 'page.html'))).toBe(true);
  await terminal.sendLine('/compact');
  await terminal.waitFor(/Nothing to compact|The context was compacted|Compaction failed/);
  await terminal.sendLine('/reload');
  await terminal.waitFor('Reloaded extensions, skills and templates.');
  await terminal.sendLine('/clear');
  await terminal.waitUntilGone('/branch');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.sendLine('/quit');
  await terminal.waitFor(AT_SHELL_PROMPT);
});

test('a menu completes slash commands and files; Tab completes arguments', async () => {
  const directories = createDirectories();
  mkdirSync(join(directories.cwd, 'source'));
  writeFileSync(join(directories.cwd, 'source', 'readme.txt'), 'x');
  writeFileSync(join(directories.cwd, 'source', 'reason why.txt'), 'the reason');
  writeFileSync(join(directories.cwd, '.gitignore'), 'ignored\n');
  writeFileSync(join(directories.cwd, 'ignored'), 'x');
  const terminal = await startConversation({ directories });
  await terminal.type('/thi');
  await terminal.waitFor(/^› \/thi\n› \/thinking {2}Set the thinking level$/m);
  await terminal.press('Tab');
  await terminal.waitFor(/^› \/thinking\nparley/m);
  await terminal.type('hi');
  await terminal.press('Tab');
  await terminal.waitFor(/^› \/thinking high$/m);
  await terminal.press('C-u');
  await terminal.type('@');
  await terminal.waitFor(/^› @\n› source\/\n {2}\.gitignore\n {2}source\/readme\.txt\n/m);
  expect(await terminal.screen()).not.toContain('ignored\n');
  await terminal.type('rea');
  await terminal.waitFor(/^› source\/readme\.txt\n {2}source\/reason why\.txt$/m);
  await terminal.press('Down', 'Enter');
  await terminal.waitFor(/^› @"source\/reason why\.txt"\nparley/m);
  // Enter in the menu has not sent the message.
  await terminal.press('C-a');
  await terminal.type('say ');
  await terminal.press('Enter');
  await terminal.waitFor(/^› say @"source\/reason why\.txt"/m);
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.sendLine('/session');
  await terminal.waitFor(/\d+ messages/);
});

test('the footer shows the directory and the branch, and fits into a narrow terminal', async () => {
  const directories = createDirectories();
  const cwd = join(directories.home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  writeFileSync(join(cwd, '.git', 'HEAD'), 'ref: refs/heads/some-branch\n');
  const terminal = await startConversation({ directories: { ...directories, cwd }, columns: 100 });
  await terminal.waitFor(/^parley\/offline · thinking medium · context \d+% · ~\/project \(some-branch\) · \/help$/m);
  await terminal.resize(40, 24);
  await terminal.waitFor(/^offline · medium · \d+% · some-branch$/m);
  writeFileSync(join(cwd, '.git', 'HEAD'), `${'0123456789'.repeat(4)}\n`);
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.waitFor(/^offline · medium · \d+% · 0123456$/m);
});

test('lists of sessions are sanitized', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'ask.txt'), 'say hi \u202eevil\u001b[2J');
  const terminal = await startInTmux({ directories, args: '< ask.txt; echo do""ne', columns: 200 });
  await terminal.waitFor(/^done$/m);
  const parley = `node ${inject('program')}`;
  await terminal.sendLine(
    `clear; ${parley} sessions; ${parley} sessions --json; ${parley} sessions "$(cat ask.txt)"; echo list""ed`,
  );
  const screen = await terminal.waitFor(/^listed$/m);
  expect(screen).toMatch(/^[0-9a-f]{8} .*say hi \ufffdevil␛\[2J$/m);
  expect(screen).toMatch(/"opening":"say hi \ufffdevil/);
  expect(screen).toContain('Unknown subcommand: parley sessions say hi \ufffdevil␛[2J');
});
