// The app's real processes: the watcher that ends our children when we can no longer do it ourselves. Knows groups by
// number only, not what runs in them.
import type { ChildProcess, spawn as Spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { TREE_VARIABLE } from './process-tree.ts';

export interface ProcessWatch {
  /** Makes sure that the watcher runs; to be called before a child is started. */
  ready(spawn: typeof Spawn): void;
  /** A leader runs. */
  add(leader: number): void;
  /** The leader has finished, but others live on in its group. */
  keep(leader: number): void;
  /** The group is empty: its number may soon mean somebody else. */
  forget(leader: number): void;
  /** Lets the watcher end, and with it everything that is still listed or tagged. */
  close(): void;
}

/**
 * Its standard input ends when the agent does, however that happens; and a child between fork and exec still holds that
 * pipe, so none can slip through. What it then finds listed or tagged, it kills. `$1` is the tag. For kept groups, see
 * killLeftovers. Sweeps repeat until two find nothing, because what is being killed may be forking, and what is just
 * becoming another program shows no tag.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
running=' ' kept=' '
while IFS= read -r line; do
  group=\${line#?}
  case $running in *" $group "*) running="\${running%%" $group "*} \${running#*" $group "}";; esac
  case $kept in *" $group "*) kept="\${kept%%" $group "*} \${kept#*" $group "}";; esac
  case $line in
    +*) running="$running$group ";;
    =*) kept="$kept$group ";;
  esac
done
for group in $running; do kill -s KILL -- "-$group"; done
for group in $kept; do kill -s 0 "$group" || kill -s KILL -- "-$group"; done
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

export function createProcessWatch(tree: string): ProcessWatch {
  const listed = new Map<number, '+' | '='>();
  let watcher: ChildProcess | undefined;

  // The stream hands a line this short to the system before it returns.
  const tell = (line: string) => watcher?.stdin?.write(`${line}\n`);
  const list = (leader: number, sign: '+' | '=') => {
    listed.set(leader, sign);
    tell(`${sign}${leader}`);
  };
  return {
    ready(spawn) {
      if (watcher) return;
      const started = startWatcher(spawn, tree);
      if (!started) return;
      watcher = started;
      // Killed by somebody: the next child gets a new one, which hears of everything that is listed.
      started.once('exit', () => {
        if (watcher === started) watcher = undefined;
      });
      for (const [leader, sign] of listed) tell(`${sign}${leader}`);
    },
    add: (leader) => list(leader, '+'),
    keep: (leader) => list(leader, '='),
    forget(leader) {
      if (listed.delete(leader)) tell(`-${leader}`);
    },
    close() {
      watcher?.stdin?.end();
      watcher = undefined;
    },
  };
}

/** `undefined` when the system has no shell or no room: children then still end with us, unless we are killed. */
function startWatcher(spawn: typeof Spawn, tree: string): ChildProcess | undefined {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'parley-watch', `${TREE_VARIABLE}=${tree}`], {
    // A session of its own, and nothing of ours but the pipe: a host must see our output end when we end.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    // Untagged, or it would end itself, and the watcher of an agent inside an agent would be ended before its work.
    env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` },
  });
  child.on('error', () => {});
  if (child.pid === undefined) return undefined;
  child.stdin.on('error', () => {});
  child.unref();
  // Bun has none, and does not need it.
  (child.stdin as Partial<Socket>).unref?.();
  return child;
}
