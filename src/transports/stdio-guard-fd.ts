// Transports, stdio: moves the frames to a private descriptor and makes number 1 another name for stderr.
// Works for everybody in the process and its children, native code included. Knows nothing about JavaScript's own routes.
import fs from 'node:fs';

export interface Separation {
  /** The descriptor that reaches the host. */
  readonly frames: number;
  /** What number 1 is now. Unless it is stderr, writes to it have to be redirected before they get there. */
  readonly descriptorOne: 'stderr' | 'nothing' | 'frames';
}

const { O_APPEND, O_NONBLOCK, O_WRONLY } = fs.constants;
const isLinux = process.platform === 'linux';

export function separateDescriptors(): Separation {
  const frames = reopen(1, fs.fstatSync(1).isFIFO() ? O_NONBLOCK : 0);
  if (frames === undefined) return { frames: 1, descriptorOne: 'frames' };
  // Tried before number 1 is given up, and without waiting: opening a named pipe that nobody reads would block forever.
  const probe = reopen(2, O_NONBLOCK);
  fs.closeSync(1);
  // The system gives the lowest free number, which is 1 now.
  const got = (probe === undefined ? undefined : reopen(2)) ?? open('/dev/null', O_WRONLY);
  if (probe !== undefined) fs.closeSync(probe);
  // Unless another thread was quicker; then number 1 is its file, which must not get foreign text.
  if (got !== undefined && got !== 1) fs.closeSync(got);
  return { frames, descriptorOne: probe !== undefined && got === 1 ? 'stderr' : 'nothing' };
}

/** A second descriptor for the same thing. Not to be had for sockets on Linux, nor for files that count a position. */
function reopen(fd: number, flags = 0): number | undefined {
  if (isLinux && keepsPosition(fd)) return undefined;
  return open(`${isLinux ? '/proc/self' : '/dev'}/fd/${fd}`, O_WRONLY | O_APPEND | flags);
}

/**
 * A file opened without appending (`> file`) has a position that we share with whoever opened it. On Linux a second
 * opening would have its own: the shell's next command would then overwrite what we wrote.
 */
function keepsPosition(fd: number): boolean {
  if (!fs.fstatSync(fd).isFile()) return false;
  const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & O_APPEND) === 0;
}

function open(path: string, flags: number): number | undefined {
  try {
    return fs.openSync(path, flags);
  } catch {
    return undefined;
  }
}
