// Uses acpx, a client of the Agent Client Protocol, with `parley acp` as its agent: single prompts, and a session of several processes.
// Arguments: the directory with the package, the program, the version of acpx.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createChecks } from './check.mjs';

const [packages, program, version] = process.argv.slice(2);
const [major, minor] = version.split('.').map(Number);
/** Later versions list the sessions of the agent, set options of a single prompt, and serve its files and terminals by default. */
const isNewer = major > 0 || minor >= 19;
const home = mkdtempSync(join(tmpdir(), 'parley-client-'));
const cwd = join(home, 'project');
mkdirSync(cwd);
writeFileSync(join(cwd, 'a.txt'), 'hello\n');

/** Newer versions of acpx need a newer Node, which is then installed beside it. */
const ownNode = join(packages, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
const node = existsSync(ownNode) ? ownNode : process.execPath;
const client = join(packages, 'node_modules/acpx/dist/cli.js');
const agent = `${process.execPath} ${program} acp`;
const env = { ...process.env, HOME: home, PARLEY_DIR: join(home, 'parley') };

async function acpx(flags, ...words) {
  const all = [client, '--agent', agent, '--cwd', cwd, '--ttl', '15', ...flags, ...words];
  const { stdout } = await promisify(execFile)(node, all, { env });
  return stdout;
}
const exec = (format, message, permissions = '--approve-all') =>
  acpx([permissions, '--format', format], 'exec', message);
const parseLines = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const includes = (part) => (text) => text.includes(part);

const { check, finish } = createChecks(`acpx ${version} with parley acp`);
await check('an answer', () => exec('text', 'say hello'), includes('[done] end_turn'));
await check('only the answer', () => exec('quiet', 'say `hello`'), includes('hello'));
await check(
  'a tool call',
  () => exec('text', 'list the files'),
  (text) => /\[tool\] .*\(completed\)[\s\S]*a\.txt/.test(text),
);
await check(
  'a file of the client is read',
  () => exec('text', 'show me `a.txt`'),
  (text) => /\(completed\)[\s\S]*hello/.test(text),
);
await check(
  'a write with a diff',
  () => exec('text', 'create `b.txt` with the content `new`'),
  (text) => /\(completed\)/.test(text) && readFileSync(join(cwd, 'b.txt'), 'utf8').includes('new'),
);
await check(
  'a write that the client denies',
  () => exec('text', 'create `c.txt` with the content `new`', '--deny-all').catch(({ stdout }) => stdout),
  () => !existsSync(join(cwd, 'c.txt')),
);
await check(
  'a command',
  () => exec('text', 'run `echo from-$((40 + 2))`'),
  (text) => /\(completed\)[\s\S]*from-42/.test(text),
);
await check(
  'a command that fails',
  () => exec('text', 'run `exit 3`'),
  (text) => /\(failed\)/.test(text) && text.includes('[done] end_turn'),
);
await check(
  'JSON frames',
  () => exec('json', 'run `echo from-bash`'),
  (text) => {
    const frames = parseLines(text);
    const updates = new Set(frames.map(({ params }) => params?.update?.sessionUpdate));
    const kinds = ['agent_message_chunk', 'tool_call', 'tool_call_update', 'usage_update', 'available_commands_update'];
    return kinds.every((kind) => updates.has(kind)) && frames.some(({ result }) => result?.stopReason === 'end_turn');
  },
);
await check('a new session', () => acpx([], 'sessions', 'new'));
await check('a prompt in a session', () => acpx(['--approve-all'], 'prompt', 'show me `a.txt`'), includes('hello'));
await check('a second prompt', () => acpx(['--approve-all'], 'prompt', 'say `again`'), includes('again'));
await check('set-mode', () => acpx([], 'set-mode', 'read-only'), includes('read-only'));
await check('set', () => acpx([], 'set', 'mode', 'full'), includes('full'));
await check(
  'an invalid mode is refused',
  () =>
    acpx([], 'set-mode', 'reckless').then(
      () => 'accepted',
      () => 'refused',
    ),
  (outcome) => outcome === 'refused',
);
await check(
  'a queued prompt',
  async () => {
    const first = acpx(['--approve-all'], 'prompt', 'run `sleep 0.5`');
    const second = acpx(['--approve-all'], 'prompt', 'say `queued`');
    return (await Promise.all([first, second])).join('');
  },
  (text) => text.split('[done] end_turn').length === 3,
);
await check(
  'cancel',
  async () => {
    const running = acpx(['--approve-all'], 'prompt', 'run `sleep 1000`').catch(({ stdout }) => stdout);
    let text = '';
    while (!/cancel/i.test(text) || /nothing/i.test(text)) text = await acpx([], 'cancel');
    return running;
  },
  // Newer versions print no stop reason.
  (text) => isNewer || text.includes('cancelled'),
);
await check('history', () => acpx([], 'sessions', 'history'), includes('a.txt'));
await check('status', () => acpx([], 'status'));
if (isNewer) {
  await check(
    'sessions of the agent',
    () => acpx(['--format', 'json'], 'sessions', 'list'),
    (text) => text.includes(cwd),
  );
  await check(
    'config option of a single prompt',
    () => acpx(['--approve-all'], 'exec', '--config-option', 'mode=read-only', 'create `e.txt` with the content `new`'),
    () => !existsSync(join(cwd, 'e.txt')),
  );
  await check(
    'without files and terminals of the client',
    () => acpx(['--approve-all', '--no-fs', '--no-terminal'], 'exec', 'run `echo own-$((40 + 3))`'),
    includes('own-43'),
  );
}
await check('close', () => acpx([], 'sessions', 'close'));
finish();
