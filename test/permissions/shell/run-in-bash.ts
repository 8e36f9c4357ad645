// Runs command lines in a real bash that has no programs, and records with which words each missing program is called.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Some command lines are endless loops. What was recorded until then is still compared. */
const MAX_MILLISECONDS = 30_000;

const DRIVER = String.raw`
calls=$1 texts=$2
PATH=/nonexistent
readonly calls texts PATH
command_not_found_handle() {
  local IFS=$'\002'
  set -- "$case" "\${@//$'\n'/$'\001'}"
  printf '%s\n' "$*" >> "$calls"
  return 127
}
ulimit -t 5
FUNCNEST=20
case=0
while IFS= read -r -d '' text <&8; do
  (
    set -- 'm n' o
    x='p q' y='*' arr=(u 'v w')
    export -n calls texts
    eval "$text"
    wait
  ) < /dev/null > /dev/null 2>&1 8<&-
  case=$((case+1))
done 8< "$texts"
`.replaceAll('\\${', '${');

/** The words of each call, by command line. */
export function runInBash(lines: readonly string[]): readonly (readonly string[])[][] {
  const directory = mkdtempSync(join(tmpdir(), 'parley-bash-'));
  try {
    const work = mkdtempSync(join(directory, 'work-'));
    const [calls, texts, driver] = ['calls', 'texts', 'driver'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(calls, '');
    writeFileSync(driver, DRIVER);
    writeFileSync(texts, lines.map((line) => `${line}\0`).join(''));
    for (const name of ['a', 'ab', 'f']) writeFileSync(join(work, name), '');
    const { pid } = spawnSync('bash', ['--norc', '--noprofile', driver, calls, texts], {
      cwd: work,
      env: { LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
      timeout: MAX_MILLISECONDS,
      killSignal: 'SIGKILL',
      ...{ detached: true },
    });
    endGroup(pid);
    return readCalls(readFileSync(calls, 'utf8'), lines.length);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Ends what the command lines left running. The driver is the leader of its process group. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no process any more.
  }
}

function readCalls(text: string, count: number): (readonly string[])[][] {
  const result: (readonly string[])[][] = Array.from({ length: count }, () => []);
  for (const record of text.split('\n').slice(0, -1)) {
    const [index = '', ...words] = record.split('\x02');
    result[Number(index)]?.push(words.map((word) => word.replaceAll('\x01', '\n')));
  }
  return result;
}
