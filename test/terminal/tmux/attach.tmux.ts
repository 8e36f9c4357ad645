// `parley attach` in a terminal: with a server that is left, killed and restarted, with a socket, and with a command.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type ConnectedAgent, type ConnectOptions, connectAgent } from '../../../src/client/index.ts';
import { createDirectories } from '../../support/program.ts';
import { startServeProgram } from '../../support/serve-program.ts';
import {
  AT_SHELL_PROMPT,
  expectUsableShell,
  startConversation,
  startInTmux,
  type TmuxTerminal,
} from './tmux-terminal.ts';

async function countIn(terminal: TmuxTerminal, part: string): Promise<number> {
  return (await terminal.scrollback()).split(part).length - 1;
}

async function connect(options: ConnectOptions): Promise<ConnectedAgent> {
  const agent = await connectAgent(options);
  onTestFinished(async () => void (await agent.close()));
  return agent;
}

test('a session is started, left, and attached again', async () => {
  const { directories } = await startServeProgram();
  const terminal = await startConversation({ directories, args: 'attach --name anna' });
  await terminal.waitFor(/^Attached to http:\/\/127\.0\.0\.1:\d+ as anna$/m);
  await terminal.prompt('say hello', /^hello$/m);
  await terminal.sendLine('/name First Session');
  await terminal.waitFor('Session name set to First Session.');
  await terminal.sendLine('/quit');
  const detached = await terminal.waitFor(/^Detached\. Attach again with: parley attach --session [0-9a-f]{8}\n/m);
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);

  const [, id] = /--session (\S+)/.exec(detached) ?? [];
  const again = await startConversation({ directories, args: `attach --session ${id}` });
  await again.waitFor(/First Session\n[\s\S]*› say hello\n+hello\n/);
  await again.press('C-d');
  await again.waitFor(AT_SHELL_PROMPT);

  const chosen = await startInTmux({ directories, args: 'attach' });
  await chosen.waitFor(/^1 {2}[0-9a-f]{8} .* 2 {9}First Session\nn .*a new session\nNumber, id, or n \[1\]:/m);
  await chosen.press('Enter');
  await chosen.waitFor(/› say hello\n+hello\n/);
  await chosen.sendLine('/new');
  await chosen.waitFor('── New session ──');
  await chosen.sendLine('/resume');
  await chosen.waitFor(/› 1\. First Session/);
  await chosen.press('Enter');
  await chosen.waitFor(/── Resumed session: First Session ──\n+› say hello/);
});

test('several terminals see the messages and changes of each other', async () => {
  const { directories, url } = await startServeProgram();
  const anna = await startConversation({ directories, args: 'attach --new --name anna' });
  await anna.sendLine('/name Shared');
  await anna.waitFor('Session name set to Shared.');
  await anna.prompt('say one', /^one$/m);
  const bob = await startConversation({ directories, args: `attach ${url} --session Shared --name bob` });
  await bob.prompt('say two', /^two$/m);
  await anna.waitFor(/^bob › say two\n[\s\S]*^two$/m);
  await anna.sendLine('/thinking high');
  await bob.waitFor('anna set the thinking level to high.');
  await bob.waitFor('thinking high ·');
  const reader = await startConversation({ directories, args: 'attach --session Shared --read-only' });
  await reader.waitFor(/ · read-only$/m);
  await reader.waitFor('› say two');
  await reader.sendLine('say three');
  await reader.waitFor('prompt needs full access.');
});

test('a run goes on while no terminal is attached, and a question waits for a terminal', async () => {
  const { directories } = await startServeProgram({ args: ['--set', 'approval=always', '--set', 'approvalTimeout=0'] });
  const terminal = await startConversation({ directories, args: 'attach --new' });
  await terminal.sendLine('/name Approvals');
  await terminal.waitFor('Session name set to Approvals.');
  await terminal.sendLine('create hello.txt with the content hi');
  await terminal.waitFor('Allow write?');
  await terminal.press('C-d');
  await terminal.waitFor('Detached.');
  expect(existsSync(join(directories.cwd, 'hello.txt'))).toBe(false);
  const other = await startInTmux({ directories, args: 'attach --session Approvals --name other' });
  await other.waitFor('Allow write?');
  await other.press('y');
  await other.waitUntilGone('Allow write?');
  await other.waitUntilGone('Working');
  expect(existsSync(join(directories.cwd, 'hello.txt'))).toBe(true);
});

test('the server is killed and restarted', async () => {
  const server = await startServeProgram();
  const { directories, port } = server;
  const terminal = await startConversation({ directories, args: 'attach --new' });
  await terminal.prompt('say before', /^before$/m);
  server.program.kill('SIGKILL');
  await terminal.waitFor('The connection was lost');
  await terminal.waitFor(/Not connected · trying again .*attempt \d+/);
  await terminal.sendLine('say meanwhile');
  await terminal.waitFor('Not connected: nothing was sent.');
  await startServeProgram({ directories, port });
  await terminal.waitFor('Connected again.');
  await terminal.waitUntilGone('Not connected ·');
  // The text is still in the input.
  await terminal.press('Enter');
  await terminal.waitFor(/^meanwhile$/m);
  expect(await countIn(terminal, '› say before')).toBe(1);
  expect(await countIn(terminal, 'The connection was lost')).toBe(1);
});

test('a session without messages ends with the server', async () => {
  const server = await startServeProgram();
  const { directories, port } = server;
  const terminal = await startConversation({ directories, args: 'attach --new' });
  server.program.kill('SIGKILL');
  await terminal.waitFor('The connection was lost');
  await startServeProgram({ directories, port });
  await terminal.waitFor(/^Error: The connection has ended: Session not found/m);
  await terminal.waitFor('Attach again with: parley attach');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
});

test('a server that is killed in the middle of a run', async () => {
  const server = await startServeProgram();
  const { directories, port } = server;
  const terminal = await startConversation({ directories, args: 'attach --new' });
  await terminal.sendLine('run `echo started; sleep 600`');
  // The output of the command, not the text of the prompt.
  await terminal.waitFor(/^ {2}started$[\s\S]*Working/m);
  server.program.kill('SIGKILL');
  await terminal.waitFor('The connection was lost');
  await startServeProgram({ directories, port });
  await terminal.waitFor('Connected again.');
  await terminal.waitUntilGone('Working');
  await terminal.waitFor('Enter /continue to continue it.');
  expect(await countIn(terminal, '› run `echo started; sleep 600`')).toBe(1);
  await terminal.sendLine('/continue');
  await terminal.waitFor('The tools have returned');
  await terminal.waitUntilGone('Working');
  await terminal.prompt('say still here', /^still here$/m);
});

test('an agent with a socket: a person types while a program sends commands', async () => {
  const directories = createDirectories();
  const socket = join(directories.home, 'agent.sock');
  const terminal = await startConversation({ directories, args: `--socket ${socket} --set approval=on-write` });
  const program = await connect({ url: `unix:${socket}`, client: 'voice' });
  await terminal.prompt('say typed', /^typed$/m);
  await program.promptAndWait('say spoken');
  await terminal.waitFor(/^voice › say spoken\n[\s\S]*^spoken$/m);
  await program.call('set_session_name', { name: 'Renamed' });
  await terminal.waitFor('voice set the session name to Renamed.');
  const asked = new Promise<void>((resolve) => {
    program.onDialog(() => {
      resolve();
      return { value: 'allow' };
    });
  });
  await terminal.sendLine('create hello.txt with the content hi');
  await asked;
  await terminal.waitFor('Answered by voice: Allow write?');
  await terminal.waitUntilGone('Working');
  expect(existsSync(join(directories.cwd, 'hello.txt'))).toBe(true);

  const second = await startConversation({ directories, args: `attach ${socket} --name second` });
  await second.waitFor('› say spoken');
  await second.prompt('say from the second', /^from the second$/m);
  await terminal.waitFor('second › say from the second');
  await terminal.sendLine('/quit');
  await second.waitFor('The connection was lost');
  await second.press('C-d');
  await second.waitFor(AT_SHELL_PROMPT);
});

/** A Unix socket that forwards to another one, and can be cut. */
async function startProxy(path: string, target: string) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream).pipe(client);
  });
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.destroy();
    open.clear();
    return closed;
  };
  await listen();
  onTestFinished(async () => void (await cut()));
  return { listen, cut };
}

test('a dialog that is answered while the connection is lost', async () => {
  const directories = createDirectories();
  const socket = join(directories.home, 'server.sock');
  await startServeProgram({ directories, args: ['--socket', socket, '--approval-mode', 'always'] });
  const proxy = await startProxy(join(directories.home, 'proxy.sock'), socket);
  const args = `attach ${join(directories.home, 'proxy.sock')} --new`;
  const terminal = await startConversation({ directories, args, rows: 10 });
  await terminal.sendLine('run `echo dlg3`');
  await terminal.waitFor('1. Yes');
  await terminal.waitUntilGone('paused while you type');
  await proxy.cut();
  await terminal.waitFor(/^Not connected · trying again/m);
  await terminal.press('Enter');
  await terminal.waitUntilGone('1. Yes');
  await proxy.listen();
  await terminal.waitUntilGone('Not connected');
  await terminal.waitFor(/^ *dlg3$/m);
  await terminal.waitUntilGone('Working');
  expect(await terminal.screen()).not.toContain('1. Yes');
});

test('an agent with a socket has one session', async () => {
  const directories = createDirectories();
  const other = await startServeProgram({ directories });
  const stored = await connect({ url: other.url, token: other.token });
  await stored.promptAndWait('say stored');
  const socket = join(directories.home, 'agent.sock');
  const terminal = await startConversation({ directories, args: `--socket ${socket}` });
  await terminal.sendLine('/name Only');
  await terminal.waitFor('Session name set to Only.');
  const shell = await startInTmux({ directories, args: `attach ${socket} --new`, columns: 200 });
  await shell.waitFor('agent.sock has one session and opens no others. Leave out --new to attach to it.');
  const run = (args: string) => shell.sendLine(`clear; node ${inject('program')} attach ${socket} ${args}`);
  await run('--cwd /');
  await shell.waitFor('Leave out --cwd to attach to it.');
  const { sessionId } = stored.attachment;
  await run(`--session ${sessionId.slice(0, 8)}`);
  await shell.waitFor(
    /Session \w{8} was not found\. unix:.*agent\.sock has one session: \w{8} Only\. Leave out --session/,
  );
  await run('--session Only');
  await shell.waitFor('Attached to unix:');
});

test('an agent that a command starts', async () => {
  const directories = createDirectories();
  const agentDirectories = createDirectories();
  const environment = `HOME=${agentDirectories.home} PARLEY_DIR=${agentDirectories.home}`;
  const command = `cd ${agentDirectories.cwd}; echo a motd; echo a warning >&2; ${environment} node ${inject('program')} --mode rpc`;
  const terminal = await startConversation({ directories, args: `attach --exec '${command}'`, columns: 200 });
  await terminal.waitFor(/^Attached to cd .* --mode rpc$/m);
  await terminal.waitFor('a warning');
  await terminal.prompt('create hello.txt with the content hi', /hello\.txt/);
  expect(existsSync(join(agentDirectories.cwd, 'hello.txt'))).toBe(true);
  writeFileSync(join(directories.cwd, 'local.txt'), 'x');
  await terminal.type('@');
  await terminal.waitFor('› @');
  expect(await terminal.screen()).not.toContain('local.txt');
  await terminal.press('C-u');
  await terminal.sendLine('/quit');
  await terminal.waitFor(AT_SHELL_PROMPT);
  await expectUsableShell(terminal);
  // Only the input history is stored on this side.
  expect(readdirSync(directories.home)).toEqual(['history']);
});

test('errors say what to do', async () => {
  const directories = createDirectories();
  const alone = await startInTmux({ directories, args: 'attach' });
  await alone.waitFor('Error: No server of this user is running. Start one with `parley serve`');
  await alone.waitFor(AT_SHELL_PROMPT);
  const server = await startServeProgram({ directories });
  const run = async (args: string) => {
    await alone.sendLine(`clear; node ${inject('program')} ${args}`);
    return alone;
  };
  await (await run(`attach ${server.url} --token wrong`)).waitFor(/Error: http:\/\/127\.0\.0\.1:\d+ refused the token/);
  await (await run('attach --session nothing')).waitFor('Error: Session nothing was not found.');
  const agent = await connect({ url: server.url, token: server.token });
  await agent.promptAndWait('say hello');
  await agent.call('set_session_name', { name: 'Greetings' });
  const screen = await (await run('attach --session Greeting')).waitFor(/Similar sessions:\n.*\n.*Greetings$/m);
  expect(screen).toContain(agent.attachment.sessionId.slice(0, 8));
  await (await run('attach --exec "echo no agent here >&2; exit 3"')).waitFor(/^no agent here\n/m);
  await (await run('attach --exec "echo the account is locked; exit 1"')).waitFor(
    /^the account is locked\nError: The command ended with code 1\.$/m,
  );
  server.program.kill('SIGKILL');
  await server.program.exited;
  await (await run('attach')).waitFor('The server of this user was ended.');
  await (await run('attach < /dev/null')).waitFor('parley attach needs a terminal.');
});
