// Programs that start other programs in ways that are not interpreted. Each call of them is a problem.
import type { CallHandler } from './call-context.ts';

const NAMES =
  'entr ltrace gdb lldb valgrind perf rlwrap unbuffer proot fakeroot eatmydata chrt taskset numactl cgexec prlimit firejail ' +
  'bwrap systemd-run systemd-inhibit systemd-nspawn caffeinate direnv hyperfine ifne chronic sem at batch crontab tmux screen ' +
  'expect socat nc ncat netcat vi vim nvim view ex ed emacs start-stop-daemon xvfb-run dbus-run-session faketime pkexec runcon ' +
  'capsh setpriv machinectl osascript open xdg-open watchexec nodemon runuser newgrp sg run-parts gosu chpst tini dumb-init ' +
  'cpulimit xterm sshpass proxychains torsocks nix-shell wsl wine m4 dc gnuplot dialog sqlite3';

const reportCaller: CallHandler = (call, context) =>
  context.problem(`The program ${call.name} starts another program with options that are not understood.`);

export const OTHER_CALLER_HANDLERS: Readonly<Record<string, CallHandler>> = Object.fromEntries(
  NAMES.split(' ').map((name) => [name, reportCaller]),
);
