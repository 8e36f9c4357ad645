// `parley attach` in a terminal while answers are received: other sessions, keys in all states, and commands that misbehave.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectAgent } from '../../../src/client/index.ts';
import { createGate, startGatedProvider } from '../../support/gated-provider.ts';
import { createDirectories } from '../../support/program.ts';
import { startServeProgram } from '../../support/serve-program.ts';
import { AT_SHELL_PROMPT, expectUsableShell, startConversation, startInTmux } from './tmux-terminal.ts';

test('/resume into a session whose answer is being received streams it from there on', async () => {
  const [early, late] = [createGate(), createGate()];
  const answer = [{ text: 'The first part. ' }, { gate: early }, { text: 'The second part. ' }, { gate: late }];
  const { directories, flags } = await startGatedProvider([[...answer, { text: 'The end.' }]]);
  const { url, token } = await startServeProgram({ directories, args: flags });
  const writer = await connectAgent({ url, token, client: 'writer' });
  onTestFinished(async () => void (await writer.close()));
  await writer.call('set_session_name', { name: 'Running' });
  const finished = writer.promptAndWait('go');
  await early.reached;
  const terminal = await startConversation({ directories, args: 'attach --new' });
  await terminal.sendLine(`/resume ${writer.attachment.sessionId}`);
  await terminal.waitFor(/── Resumed session: Running ──\n+› go\n+The first part\./);
  await terminal.waitFor('Working');
  early.open();
  await terminal.waitFor('The first part. The second part.');
  // A new session during the answer: its rest belongs to the session that was left.
  await terminal.sendLine('/new');
  await terminal.waitFor(/second part\.\n+── New session ──/);
  await terminal.waitUntilGone('Working');
  late.open();
  await finished;
  await terminal.prompt('hello', /^Done\.$/m);
  expect(await terminal.scrollback()).not.toContain('The end.');
  await terminal.sendLine(`/resume ${writer.attachment.sessionId}`);
  await terminal.waitFor('The first part. The second part. The end.');
});

test('keys while an answer is received: a resize, a paste, Ctrl+C, and Ctrl+D', async () => {
  const gates = [createGate(), createGate()] as const;
  const { directories, flags } = await startGatedProvider([
    [{ text: 'Some words that are long enough for a narrow terminal. ' }, { gate: gates[0] }],
    [{ text: 'Another answer.' }, { gate: gates[1] }],
  ]);
  await startServeProgram({ directories, args: flags });
  const terminal = await startConversation({ directories, args: 'attach --new' });
  await terminal.sendLine('go');
  await terminal.waitFor('narrow terminal.');
  await terminal.resize(40, 12);
  await terminal.waitFor(/narrow\s+terminal\.[\s\S]*Working/);
  await terminal.paste('first line\nsecond line');
  await terminal.waitFor(/first line\n\s+second line/);
  await terminal.press('C-u', 'C-c');
  await terminal.resize(90, 28);
  await terminal.waitUntilGone('Working');
  await terminal.press('C-u', 'C-u', 'C-u');
  await terminal.sendLine('again');
  await terminal.waitFor('Another answer.');
  await terminal.press('C-u', 'C-d');
  await terminal.waitFor('Detached. Attach again with:');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
});

test('Ctrl+D and Ctrl+C while there is no connection leave the terminal usable', async () => {
  for (const keys of [['C-d'], ['C-c', 'C-c']]) {
    const { program, directories } = await startServeProgram();
    const terminal = await startConversation({ directories, args: 'attach --new' });
    await terminal.prompt('say hello', /^hello$/m);
    program.kill('SIGKILL');
    await terminal.waitFor(/Not connected · trying again/);
    for (const key of keys) await terminal.press(key);
    await terminal.waitFor(AT_SHELL_PROMPT);
    await expectUsableShell(terminal);
  }
});

/** A shell script in place of ssh. */
function writeCommand(directory: string, text: string): string {
  const path = join(directory, 'fake-ssh');
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

test('a command that asks for a password on the terminal before it starts the agent', async () => {
  const directories = createDirectories();
  const agent = createDirectories();
  const path = writeCommand(
    agent.home,
    `printf 'pass""word: ' > /dev/tty
stty -echo < /dev/tty
read -r answer < /dev/tty
stty echo < /dev/tty
echo > /dev/tty
[ "$answer" = secret ] || { echo 'Permission denied' >&2; exit 5; }
cd ${agent.cwd}
HOME=${agent.home} PARLEY_DIR=${agent.home} exec node ${inject('program')} --mode rpc`.replaceAll('""', ''),
  );
  const terminal = await startInTmux({ directories, args: `attach --exec ${path}` });
  await terminal.waitFor(/^password: $|^password:$/m);
  await terminal.sendLine('secret');
  await terminal.waitFor(/^›$/m);
  expect(await terminal.scrollback()).not.toContain('secret');
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);

  const refused = await startInTmux({ directories, args: `attach --exec ${path}` });
  await refused.waitFor(/^password:/m);
  await refused.sendLine('wrong');
  await refused.waitFor(/^Permission denied\nError: The command ended with code 5\.$/m);
  await refused.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(refused);
});

test('a command that prints text before the first frame, and dies in the middle of a run', async () => {
  const directories = createDirectories();
  const agent = createDirectories();
  const path = writeCommand(
    agent.home,
    `echo 'Welcome to the machine'
printf '\\033[31m{"not a frame\\n'
cd ${agent.cwd}
HOME=${agent.home} PARLEY_DIR=${agent.home} exec node ${inject('program')} --mode rpc`,
  );
  const terminal = await startConversation({ directories, args: `attach --exec ${path}` });
  await terminal.sendLine('run `echo started; kill -9 $PPID; sleep 600`');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await terminal.waitFor(/^Error: The command (was killed by SIGKILL|ended with code 137)\.$/m);
  expect((await terminal.scrollback()).split(/^Killed$/m)).toHaveLength(2);
  await expectUsableShell(terminal);
});

test('frames and commands of other versions are no failure', async () => {
  const directories = createDirectories();
  const agent = createDirectories();
  const script = join(agent.home, 'agent.mjs');
  const state = { sessionId: 's1', isStreaming: false, messageCount: 0 };
  writeFileSync(
    script,
    `import { createInterface } from 'node:readline';
const send = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
send({ type: 'ready', version: '99.0.0', protocolVersion: 7, dialect: 'omp', extra: { a: 1 } });
send({ type: 'frame_of_the_future', data: [1] });
send({ type: 'extension_ui_request', id: 'f1', method: 'hologram', title: 'x' });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, type, message } = JSON.parse(line);
  if (id === undefined) continue;
  if (type === 'get_state') send({ id, type: 'response', command: type, success: true, data: ${JSON.stringify(state)} });
  else if (type === 'prompt') {
    send({ id, type: 'response', command: type, success: true });
    send({ type: 'agent_start' });
    send({ type: 'message_start', message: { role: 'assistant', content: [], timestamp: 1 } });
    send({ type: 'message_update', assistantMessageEvent: { type: 'dance_delta', contentIndex: 0 } });
    send({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'an answer' } });
    send({ type: 'message_end', message: { role: 'assistant', content: [{ type: 'text', text: 'an answer' }, { type: 'dance' }], stopReason: 'bored', timestamp: 1 } });
    send({ type: 'message_end', message: { role: 'oracle', content: 'x', timestamp: 2 } });
    send({ type: 'agent_end', messages: [] });
    send({ type: 'agent_settled' });
  } else send({ type: 'response', command: type, success: false, error: 'Unknown command: ' + type });
}`,
  );
  const terminal = await startConversation({ directories, args: `attach --exec 'node ${script}'` });
  await terminal.prompt('go', /^an answer$/m);
  await terminal.sendLine('/session');
  await terminal.waitFor('Unknown command: get_session_stats');
  await terminal.sendLine('/name x');
  await terminal.waitFor('Unknown command: set_session_name');
  await terminal.press('C-d');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
});
