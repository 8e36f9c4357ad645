// Dialogs in a terminal: of extensions, of tool approval and of project trust.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createDirectories } from '../../support/program.ts';
import { EMPTY_INPUT, startConversation, startInTmux } from './tmux-terminal.ts';

const getExamplePath = (name: string) =>
  fileURLToPath(new URL(`../../../examples/extensions/${name}.ts`, import.meta.url));

test('an extension opens an input and a select dialog and shows a widget', async () => {
  const terminal = await startConversation({
    args: `-e ${getExamplePath('slash-command')} -e ${getExamplePath('status-widget')}`,
  });
  await terminal.sendLine('/todo');
  await terminal.waitFor(/What is there to do\?\n› e\.g\. write tests\nEnter to answer/);
  await terminal.type('buy milk');
  await terminal.waitFor('› buy milk');
  await terminal.press('Enter');
  await terminal.waitFor(/When\?\n› 1\. today\n {2}2\. tomorrow\n↑↓/);
  await terminal.press('Down');
  await terminal.waitFor('› 2. tomorrow');
  await terminal.press('Enter');
  await terminal.waitFor('Noted task: buy milk (tomorrow)');
  await terminal.sendLine('/todo');
  await terminal.waitFor(/What is there to do\?[\s\S]*Enter to answer/);
  await terminal.press('Escape');
  await terminal.waitFor('Nothing noted');
  await terminal.sendLine('what files are here?');
  await terminal.waitFor(/^ls: 1$/m);
});

test('a dangerous command runs only after it was confirmed; the default is No', async () => {
  const terminal = await startConversation({ args: `-e ${getExamplePath('permission-gate')}` });
  mkdirSync(join(terminal.cwd, 'precious'));
  await terminal.sendLine('run `rm -rf precious`');
  await terminal.waitFor(/Dangerous command\nrm -rf precious\n {2}1\. Yes\n› 2\. No\n↑↓/);
  await terminal.press('Enter');
  await terminal.waitFor('The user refused the command');
  expect(existsSync(join(terminal.cwd, 'precious'))).toBe(true);
  await terminal.waitUntilGone('Working');
  await terminal.sendLine('run `rm -rf precious`');
  await terminal.waitFor(/Dangerous command\nrm -rf precious\n {2}1\. Yes\n› 2\. No\n↑↓.*s left/);
  await terminal.press('Up');
  await terminal.waitFor('› 1. Yes');
  await terminal.press('Enter');
  await terminal.waitUntilGone('Dangerous command');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(terminal.cwd, 'precious'))).toBe(false);
});

test('tool calls are approved one by one with approval=on-write', async () => {
  const terminal = await startConversation({ args: '--set approval=on-write' });
  await terminal.sendLine('create hello.txt with the content hi');
  const opened = await terminal.waitFor(
    /Allow write\?\nhello\.txt \+1 −0\n\+1 hi\n› 1\. Yes\n {2}2\. No\n {2}3\. Yes, in this session: write of any file in the working directory\n {2}4\. Yes, always: write\(\.\/hello\.txt\) \(saved in your settings\)\n {2}5\. No, with a message to the model\n↑↓/,
  );
  expect(opened).not.toContain('s left');
  // The hint of the dialog says what Esc does.
  expect(opened).not.toContain('Esc to stop');
  await terminal.press('Down', 'Enter');
  await terminal.waitFor('Denied: write hello.txt (1 line)');
  await terminal.waitUntilGone('Working');
  expect(await terminal.scrollback()).not.toContain('needs an approval');
  expect(existsSync(join(terminal.cwd, 'hello.txt'))).toBe(false);
  await terminal.sendLine('create hello.txt with the content hi');
  await terminal.waitFor(/Allow write\?[\s\S]*› 1\. Yes\n[\s\S]*↑↓/);
  await terminal.press('Enter');
  await terminal.waitUntilGone('Allow write?');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(terminal.cwd, 'hello.txt'))).toBe(true);
});

test('a command is approved with y and denied with n or Escape', async () => {
  const terminal = await startConversation({ args: '--set approval=on-write' });
  for (const key of ['n', 'Escape', 'y']) {
    await terminal.sendLine('run `touch made.txt`');
    await terminal.waitFor(/Allow bash\?\n\$ touch made\.txt\nin \/.*\n› 1\. Yes[\s\S]*↑↓ and Enter, or y\/n\/a\/p\/m/);
    await terminal.press(key);
    await terminal.waitUntilGone('Allow bash?');
    if (key !== 'y') await terminal.waitFor('Denied: bash touch made.txt');
    await terminal.waitUntilGone('Working');
    expect(existsSync(join(terminal.cwd, 'made.txt'))).toBe(key === 'y');
  }
});

test('a call is denied with a message, allowed for the session and allowed always', async () => {
  const terminal = await startConversation({ args: '--set approval=on-write' });
  const ask = async (command: string) => {
    await terminal.sendLine(`run \`${command}\``);
    await terminal.waitFor(/Allow bash\?[\s\S]*↑↓ and Enter, or y\/n\/a\/p\/m/);
  };
  await ask('touch one');
  await terminal.press('m');
  await terminal.waitFor(/Why not\? The model gets this message\.\n›[\s\S]*Esc to go back/);
  await terminal.press('Escape');
  await terminal.waitFor(/› 1\. Yes[\s\S]*↑↓/);
  await terminal.press('m');
  await terminal.waitFor('Why not?');
  await terminal.type('yes, but later');
  await terminal.press('Enter');
  await terminal.waitFor('Denied: bash touch one. Message to the model: yes, but later');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(terminal.cwd, 'one'))).toBe(false);
  await ask('touch one');
  await terminal.press('a');
  await terminal.waitFor('Allowed in this session: bash(touch one)');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(terminal.cwd, 'one'))).toBe(true);
  await ask('touch two');
  await terminal.press('p');
  await terminal.waitFor('Always allowed: bash(touch two)');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(terminal.cwd, 'two'))).toBe(true);
});

test('a project with configuration is used after the user has trusted it', async () => {
  const directories = createDirectories();
  mkdirSync(join(directories.cwd, '.parley/prompts'), { recursive: true });
  writeFileSync(join(directories.cwd, '.parley/prompts/greet.md'), 'say hello to $1\n');
  const terminal = await startInTmux({ directories });
  await terminal.waitFor(/Trust this project\?[\s\S]*› 2\. No\n↑↓/);
  await terminal.press('Up', 'Enter');
  await terminal.waitFor('This project is trusted.');
  await terminal.waitFor(EMPTY_INPUT);
  await terminal.type('/gre');
  await terminal.press('Tab');
  await terminal.waitFor(/^› \/greet$/m);
  const secondTerminal = await startConversation({ directories });
  expect(await secondTerminal.screen()).not.toContain('Trust this project?');
});
