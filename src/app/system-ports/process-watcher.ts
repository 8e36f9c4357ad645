// A shell process that kills the child processes of the agent when the agent dies, for example by SIGKILL.
import type { ChildProcess, spawn as Spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { AGENT_ID_VARIABLE } from './process-tree.ts';

export interface ProcessWatcher {
  /** Starts the watcher if necessary. Call this before a child is started. */
  ensureRunning(spawn: typeof Spawn): void;
  /** A group leader is running. */
  addRunning(leader: number): void;
  /** The leader has finished, but other processes in its group are still running. */
  addFinished(leader: number): void;
  /** The group is empty: its id may be reused by other processes. */
  remove(leader: number): void;
  /** Ends the watcher, which kills everything that is still listed or tagged. */
  close(): void;
}

/**
 * Its stdin ends when the agent ends, for whatever reason. A child between fork and exec still holds that pipe, so no child is missed.
 * It then kills all listed and tagged processes. `$1` is the tag. For finished leaders, see killLeftovers. It repeats the sweep until
 * two sweeps find nothing, because a process may fork while it is killed, and shows no tag during exec.
 */
const WATCHER_SCRIPT = `
trap '' HUP INT QUIT TERM
running=' ' finished=' '
while IFS= read -r line; do
  group=\${line#?}
  case $running in *" $group "*) running="\${running%%" $group "*} \${running#*" $group "}";; esac
  case $finished in *" $group "*) finished="\${finished%%" $group "*} \${finished#*" $group "}";; esac
  case $line in
    +*) running="$running$group ";;
    =*) finished="$finished$group ";;
  esac
done
for group in $running; do kill -s KILL -- "-$group"; done
for group in $finished; do kill -s 0 "$group" || kill -s KILL -- "-$group"; done
[ -r /proc/self/environ ] || exit 0
sweeps=0 clean=0
while [ $sweeps -lt 100 ] && [ $clean -lt 2 ]; do
  found=$(grep -lxzF -e "$1" /proc/[0-9]*/environ)
  clean=$((clean + 1))
  [ -z "$found" ] || clean=0
  for file in $found; do file=\${file#/proc/}; kill -s KILL "\${file%/environ}"; done
  sweeps=$((sweeps + 1))
done
`;

export function createProcessWatcher(tree: string): ProcessWatcher {
  const listed = new Map<number, '+' | '='>();
  let watcher: ChildProcess | undefined;

  // A line this short is written to the pipe before write() returns.
  const send = (line: string) => watcher?.stdin?.write(`${line}\n`);
  const register = (leader: number, sign: '+' | '=') => {
    listed.set(leader, sign);
    send(`${sign}${leader}`);
  };
  return {
    ensureRunning(spawn) {
      if (watcher) return;
      const started = startWatcher(spawn, tree);
      if (!started) return;
      watcher = started;
      // If the watcher is killed, the next spawn starts a new one and sends it the whole list.
      started.once('exit', () => {
        if (watcher === started) watcher = undefined;
      });
      for (const [leader, sign] of listed) send(`${sign}${leader}`);
    },
    addRunning: (leader) => register(leader, '+'),
    addFinished: (leader) => register(leader, '='),
    remove(leader) {
      if (listed.delete(leader)) send(`-${leader}`);
    },
    close() {
      watcher?.stdin?.end();
      watcher = undefined;
    },
  };
}

/** `undefined` when there is no shell or no free process slot. Children then still end with the agent, unless it is killed. */
function startWatcher(spawn: typeof Spawn, tree: string): ChildProcess | undefined {
  const child = spawn('/bin/sh', ['-c', WATCHER_SCRIPT, 'parley-watch', `${AGENT_ID_VARIABLE}=${tree}`], {
    // A new process session that inherits only the pipe: the host must see the end of our output when the agent ends.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    // No tag: otherwise the watcher would kill itself, and an outer agent would kill the watcher of a nested agent too early.
    env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` },
  });
  child.on('error', () => {});
  if (child.pid === undefined) return undefined;
  child.stdin.on('error', () => {});
  child.unref();
  // Bun has no unref() here, and does not need it.
  (child.stdin as Partial<Socket>).unref?.();
  return child;
}
