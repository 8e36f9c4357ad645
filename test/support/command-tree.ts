// For tests of how children end: a tool call that runs a tree of processes, one of them in a session of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from './processes.ts';
import type { Program } from './program.ts';

/** Each says its number before it starts the next, so the last one to be up speaks for all. */
const SCRIPT = `
echo $$ >> pids
if [ "$1" -gt 1 ]; then sh tree.sh $(($1 - 1)) &
else setsid sh -c 'echo $$ >> pids; echo all are up; exec sleep 1000' &
fi
exec sleep 1000
`;

/** Has the model run three processes, one below the other, and under them one that left their group. Tells their numbers. */
export async function growTree(program: Program): Promise<number[]> {
  writeFileSync(join(program.cwd, 'tree.sh'), SCRIPT);
  program.send({ type: 'prompt', message: 'run `sh tree.sh 3`' });
  await program.frame(
    (frame) => frame.type === 'tool_execution_update' && JSON.stringify(frame).includes('all are up'),
  );
  const pids = numbers(readFileSync(join(program.cwd, 'pids'), 'latin1'));
  if (pids.length !== 4) throw new Error(`Four processes should be up: ${pids}`);
  return pids;
}
