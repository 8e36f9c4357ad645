// Detects on Linux that the read end of a stdout pipe is closed, without writing to the pipe.
//
// A socket reports by itself that the peer has closed. A pipe reports it only on a write, and during a silent tool call
// nothing is written for minutes. Node has no API for this, but /proc shows which process has the read end open.
import fs from 'node:fs';

const PERIOD_MS = 700;
const CONFIRM_MS = 150;
/** A reader that was not found yet is searched for again, at intervals that double from CONFIRM_MS up to this. */
const MAX_PERIOD_MS = 60_000;

/** Limits the time of the first search, which blocks. */
const MAX_SIBLINGS = 20;

/** The read end of a pipe in some process: a path below /proc. */
type ReadEnd = string;

/**
 * Calls `onReaderClosed` when the read end was found once and no process has it open any more. A reader that is never
 * found (it may be in another container) is not reported as closed.
 */
export function watchPipeReader(fd: number, onReaderClosed: () => void): void {
  if (process.platform !== 'linux') return;
  const getPipe = () => readLinkTarget(`/proc/self/fd/${fd}`);
  const runAfter = (ms: number, act: () => unknown) => void setTimeout(act, ms).unref();
  let readEnd: ReadEnd | undefined;

  const follow = (found: ReadEnd) => {
    readEnd = found;
    runAfter(PERIOD_MS, check);
  };
  const find = async (onNotFound: () => void) => {
    const found = await findReadEnd(getPipe(), readEnd);
    if (found === 'nowhere') onNotFound();
    else if (found !== 'unknown') follow(found);
    // The process that could not be inspected may have ended by then.
    else runAfter(PERIOD_MS, check);
  };
  const check = () => {
    if (readEnd !== undefined && isReadEnd(readEnd, getPipe())) runAfter(PERIOD_MS, check);
    // Searched twice, because the read end may move to another process during the search.
    else void find(() => runAfter(CONFIRM_MS, () => void find(onReaderClosed)));
  };
  const findFirst = async (waitMs: number) => {
    const found = await findReadEnd(getPipe(), undefined);
    if (found !== 'nowhere' && found !== 'unknown') follow(found);
    else runAfter(waitMs, () => void findFirst(Math.min(2 * waitMs, MAX_PERIOD_MS)));
  };
  setImmediate(() => {
    const found = findReadEndNearby(getPipe());
    if (found !== undefined) follow(found);
    else void findFirst(CONFIRM_MS);
  });
}

/**
 * The reader is most often the parent process, or the next process of a shell pipeline. A search of all processes may end after
 * such a reader, which may exit soon.
 */
function findReadEndNearby(pipe: string | undefined): ReadEnd | undefined {
  const parent = String(process.ppid);
  const siblings = listChildren(parent);
  const next = siblings.indexOf(String(process.pid)) + 1;
  for (const pid of [parent, ...siblings.slice(next, next + MAX_SIBLINGS)]) {
    const found = findReadEndInProcess(pid, pipe);
    if (found !== undefined && found !== 'hidden') return found;
  }
  return undefined;
}

/** Oldest first. Empty when the kernel does not list them. */
function listChildren(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
  } catch {
    return [];
  }
}

/**
 * `unknown` when a process that may have the read end cannot be inspected: a newer related process, or the process that
 * had the read end before.
 */
async function findReadEnd(
  pipe: string | undefined,
  before: ReadEnd | undefined,
): Promise<ReadEnd | 'nowhere' | 'unknown'> {
  // Without /proc (for example in a chroot) the pipe cannot be identified.
  if (pipe === undefined) return 'unknown';
  let isUnknown = false;
  for (const pid of listOtherProcesses()) {
    const found = findReadEndInProcess(pid, pipe);
    if (found === 'hidden') isUnknown ||= isNewerRelatedProcess(pid) || (before?.startsWith(`/proc/${pid}/`) ?? false);
    else if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return isUnknown ? 'unknown' : 'nowhere';
}

/** First those with the next pids: in a shell pipeline the reader is started right after this process. Pids start again at the highest. */
function listOtherProcesses(): string[] {
  const others = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const isOlder = (pid: string) => Number(Number(pid) < process.pid);
  return others.sort((a, b) => isOlder(a) - isOlder(b) || Number(a) - Number(b));
}

function findReadEndInProcess(pid: string, pipe: string | undefined): ReadEnd | 'hidden' | undefined {
  const directory = `/proc/${pid}/fd`;
  try {
    const links = fs.readdirSync(directory).map((name) => `${directory}/${name}`);
    // Highest number first: a shell that starts a program duplicates the descriptor to 0 and then closes the original.
    return links.reverse().find((link) => isReadEnd(link, pipe));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'hidden';
  }
}

function isReadEnd(link: string, pipe: string | undefined): boolean {
  if (pipe === undefined || readLinkTarget(link) !== pipe) return false;
  try {
    // The permissions of the link show whether the descriptor is open for reading.
    return (fs.lstatSync(link).mode & 0o400) !== 0;
  } catch {
    return false;
  }
}

function readLinkTarget(link: string): string | undefined {
  try {
    return fs.readlinkSync(link);
  } catch {
    return undefined;
  }
}

/**
 * Whether the process is newer than this one and related to it: it descends from our parent process, or it or an ancestor
 * is in our session. Pipes are inherited from parent to child.
 */
function isNewerRelatedProcess(pid: string): boolean {
  const ownStat = readProcessStat('self');
  const otherStat = readProcessStat(pid);
  if (!ownStat || !otherStat || otherStat.startTime < ownStat.startTime) return false;
  const visited = new Set<string>();
  for (
    let at: string | undefined = pid;
    at && at !== '0' && at !== '1' && !visited.has(at);
    at = readProcessStat(at)?.parent
  ) {
    if (at === ownStat.parent || readProcessStat(at)?.session === ownStat.session) return true;
    visited.add(at);
  }
  return false;
}

/** `startTime` is in clock ticks since boot. */
function readProcessStat(pid: string): { parent: string; session: string; startTime: number } | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent = '', , session = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent, session, startTime: Number(rest[15]) };
  } catch {
    return undefined;
  }
}
