// Uses acpx, a client of the Agent Client Protocol, through pi-acp, which starts an agent that speaks pi's protocol.
// Arguments: the directory with both packages, the program, the version of acpx.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createChecks } from './check.mjs';

const [packages, program, version] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'parley-client-'));
const cwd = join(home, 'project');
mkdirSync(cwd);
writeFileSync(join(cwd, 'a.txt'), 'hello\n');
const command = join(home, 'pi');
writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
chmodSync(command, 0o755);

const agent = `${process.execPath} ${join(packages, 'node_modules/.bin/pi-acp')}`;
const env = { ...process.env, HOME: home, PARLEY_DIR: join(home, 'parley'), PI_ACP_PI_COMMAND: command };
async function exec(format, message) {
  const flags = ['--agent', agent, '--cwd', cwd, '--approve-all', '--format', format];
  const client = join(packages, 'node_modules/.bin/acpx');
  return (await promisify(execFile)(process.execPath, [client, ...flags, 'exec', message], { env })).stdout;
}

const { check, finish } = createChecks(`acpx ${version} through pi-acp`);
await check(
  'an answer',
  () => exec('text', 'say hello'),
  (text) => text.includes('[done] end_turn'),
);
await check(
  'a tool call',
  () => exec('text', 'list the files'),
  (text) => /\[tool\] ls \(completed\)[\s\S]*a\.txt/.test(text),
);
await check(
  'a write',
  () => exec('text', 'create `b.txt` with the content `new`'),
  (text) => /\(completed\)/.test(text),
);
await check(
  'JSON frames',
  () => exec('json', 'run `echo from-bash`'),
  (text) => {
    const frames = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const updates = new Set(frames.map(({ params }) => params?.update?.sessionUpdate));
    const kinds = ['agent_message_chunk', 'tool_call', 'tool_call_update', 'usage_update', 'available_commands_update'];
    return kinds.every((kind) => updates.has(kind)) && frames.at(-1).result?.stopReason === 'end_turn';
  },
);
finish();
