// Names of files and directories that belong to one running process. Others can recognise those of killed processes.
import { fnv1a } from '../base/fnv1a.ts';
import type { ProcessIdentity } from '../contracts/index.ts';

/** Something may follow after another dash. */
const MARK = /^parley-sandbox-(\d+)-(\d+|x)-([0-9a-z]+)(?:-\w+)?$/;

export function createProcessMark({ self }: ProcessIdentity): string {
  return `parley-sandbox-${self.pid}-${self.startTime ?? 'x'}-${fnv1a(self.host).toString(36)}`;
}

export function isProcessMark(name: string): boolean {
  return MARK.test(name);
}

/** `false` for processes of other machines and containers, because they cannot be checked. */
export async function isAbandonedMark(identity: ProcessIdentity, name: string): Promise<boolean> {
  const [, pid, startTime, host] = MARK.exec(name) ?? [];
  if (pid === undefined || host !== fnv1a(identity.self.host).toString(36)) return false;
  return !(await identity.isAlive(Number(pid), startTime === 'x' ? undefined : Number(startTime)));
}
