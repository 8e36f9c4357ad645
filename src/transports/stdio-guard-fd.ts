// Moves the frames to a private file descriptor and makes descriptor 1 a duplicate of stderr.
// This also redirects native code and child processes. Where it is impossible, stdio-guard-js.ts redirects JavaScript code.
import fs from 'node:fs';

export interface SeparatedDescriptors {
  /** The descriptor that reaches the host. */
  readonly frameFd: number;
  /** The target of descriptor 1. Unless it is stderr, writes to it must be redirected in JavaScript. */
  readonly stdoutTarget: 'stderr' | 'nothing' | 'frames';
}

const { O_APPEND, O_NONBLOCK, O_WRONLY } = fs.constants;
const isLinux = process.platform === 'linux';

export function separateDescriptors(): SeparatedDescriptors {
  const frameFd = reopenDescriptor(1, fs.fstatSync(1).isFIFO() ? O_NONBLOCK : 0);
  if (frameFd === undefined) return { frameFd: 1, stdoutTarget: 'frames' };
  // Tried before descriptor 1 is closed. Non-blocking, because opening a named pipe without a reader would block forever.
  const probe = reopenDescriptor(2, O_NONBLOCK);
  fs.closeSync(1);
  // The system returns the lowest free number, which is 1 now.
  const newFd = (probe === undefined ? undefined : reopenDescriptor(2)) ?? tryOpen('/dev/null', O_WRONLY);
  if (probe !== undefined) fs.closeSync(probe);
  // Another thread may have opened a file in between. Then descriptor 1 is that file, and nothing must be written to it.
  if (newFd !== undefined && newFd !== 1) fs.closeSync(newFd);
  return { frameFd, stdoutTarget: probe !== undefined && newFd === 1 ? 'stderr' : 'nothing' };
}

/** Opens a second descriptor for the same target. Impossible on Linux for sockets and for files with a position. */
function reopenDescriptor(fd: number, flags = 0): number | undefined {
  if (isLinux && hasFilePosition(fd)) return undefined;
  return tryOpen(`${isLinux ? '/proc/self' : '/dev'}/fd/${fd}`, O_WRONLY | O_APPEND | flags);
}

/**
 * A file that was opened without O_APPEND (`> file`) has a position that is shared with the process that opened it. On Linux
 * a second open has its own position: the next command of the shell would overwrite the output of this process.
 */
function hasFilePosition(fd: number): boolean {
  if (!fs.fstatSync(fd).isFile()) return false;
  const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & O_APPEND) === 0;
}

function tryOpen(path: string, flags: number): number | undefined {
  try {
    return fs.openSync(path, flags);
  } catch {
    return undefined;
  }
}
