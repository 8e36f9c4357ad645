// Starts a tree of processes with a tool call. One process runs in its own session (setsid).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNumbers } from './processes.ts';
import type { Program } from './program.ts';

/** Each process writes its pid before it starts the next one, so the last one reports that all are running. */
const SCRIPT = `
echo $$ >> pids
if [ "$1" -gt 1 ]; then sh tree.sh $(($1 - 1)) &
else setsid sh -c 'echo $$ >> pids; echo all are up; exec sleep 1000' &
fi
exec sleep 1000
`;

/** Starts three nested processes, and below them one in another process group. Returns their pids. */
export async function startProcessTree(program: Program): Promise<number[]> {
  writeFileSync(join(program.cwd, 'tree.sh'), SCRIPT);
  program.send({ type: 'prompt', message: 'run `sh tree.sh 3`' });
  await program.nextFrame(
    (frame) => frame.type === 'tool_execution_update' && JSON.stringify(frame).includes('all are up'),
  );
  const pids = parseNumbers(readFileSync(join(program.cwd, 'pids'), 'latin1'));
  if (pids.length !== 4) throw new Error(`Four processes should be up: ${pids}`);
  return pids;
}
