// Transports, stdio: notices that nobody reads a pipe any more. Knows descriptors and processes, never what is written.
//
// A socket tells by itself when the other side goes. A pipe tells only who writes to it, and during a silent tool nothing
// is written for minutes. Node cannot ask the system, but on Linux one may look who holds which end.
import fs from 'node:fs';

const PERIOD_MS = 700;
const CONFIRM_MS = 150;
/** A reader that was not found yet is searched for again, at intervals that double from CONFIRM_MS up to this. */
const LONGEST_PERIOD_MS = 60_000;

/** The read end of a pipe in some process: a path below /proc. */
type ReadEnd = string;

/**
 * Calls `gone` when the reader of this pipe was found once and no process has it open any more. A reader that is never
 * found (it may be in another container) is not reported as gone.
 */
export function watchReader(fd: number, gone: () => void): void {
  if (process.platform !== 'linux') return;
  const pipe = () => targetOf(`/proc/self/fd/${fd}`);
  const later = (ms: number, act: () => unknown) => void setTimeout(act, ms).unref();
  let held: ReadEnd | undefined;

  const follow = (found: ReadEnd) => {
    held = found;
    later(PERIOD_MS, check);
  };
  const find = async (otherwise: () => void) => {
    const found = await search(pipe(), held);
    if (found === 'nowhere') otherwise();
    else if (found !== 'unknown') follow(found);
    // The process that could not be inspected may have ended by then.
    else later(PERIOD_MS, check);
  };
  const check = () => {
    if (held !== undefined && isReadEnd(held, pipe())) later(PERIOD_MS, check);
    // Searched twice, because the read end may move to another process during the search.
    else void find(() => later(CONFIRM_MS, () => void find(gone)));
  };
  const findFirst = async (waitMs: number) => {
    const found = await search(pipe(), undefined);
    if (found !== 'nowhere' && found !== 'unknown') follow(found);
    else later(waitMs, () => void findFirst(Math.min(2 * waitMs, LONGEST_PERIOD_MS)));
  };
  setImmediate(() => {
    // Most readers are the process that started us.
    const found = readEndIn(String(process.ppid), pipe());
    if (found !== undefined && found !== 'hidden') follow(found);
    else void findFirst(CONFIRM_MS);
  });
}

/** `unknown` when somebody who may have it by now lets us not look: of our kin and younger than us, or who had it before. */
async function search(pipe: string | undefined, before: ReadEnd | undefined): Promise<ReadEnd | 'nowhere' | 'unknown'> {
  let unsure = pipe === undefined;
  // Newest first: in a pipeline the reader was started right after us.
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  for (const pid of pids.sort((a, b) => Number(b) - Number(a))) {
    const found = readEndIn(pid, pipe);
    if (found === 'hidden') unsure ||= isYoungerKin(pid) || (before?.startsWith(`/proc/${pid}/`) ?? false);
    else if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return unsure ? 'unknown' : 'nowhere';
}

function readEndIn(pid: string, pipe: string | undefined): ReadEnd | 'hidden' | undefined {
  const directory = `/proc/${pid}/fd`;
  try {
    const links = fs.readdirSync(directory).map((name) => `${directory}/${name}`);
    // Highest number first: a shell that starts a program copies the descriptor to 0 and then closes the original.
    return links.reverse().find((link) => isReadEnd(link, pipe));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'hidden';
  }
}

function isReadEnd(link: string, pipe: string | undefined): boolean {
  if (pipe === undefined || targetOf(link) !== pipe) return false;
  try {
    // How a descriptor was opened stands in the rights of its link.
    return (fs.lstatSync(link).mode & 0o400) !== 0;
  } catch {
    return false;
  }
}

function targetOf(link: string): string | undefined {
  try {
    return fs.readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** Whether it began after us, below whoever started us or in our session: a pipe is handed on from parent to child. */
function isYoungerKin(pid: string): boolean {
  const own = standingOf('self');
  const its = standingOf(pid);
  if (!own || !its || its.birth < own.birth) return false;
  const seen = new Set<string>();
  for (let at: string | undefined = pid; at && at !== '0' && at !== '1' && !seen.has(at); at = standingOf(at)?.parent) {
    if (at === own.parent || standingOf(at)?.session === own.session) return true;
    seen.add(at);
  }
  return false;
}

/** `birth` counts in the system's ticks. */
function standingOf(pid: string): { parent: string; session: string; birth: number } | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent = '', , session = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent, session, birth: Number(rest[15]) };
  } catch {
    return undefined;
  }
}
