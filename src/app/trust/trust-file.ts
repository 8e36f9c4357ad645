// The hall: which projects the user has decided about, kept in trust.json. Knows nothing of what the projects hold.
import { dirname, join } from 'node:path';
import { boolean, object, record, safeParse, string } from 'valibot';
import { Fault } from '../../base/index.ts';
import type { Files, Ports } from '../../contracts/index.ts';
import { withFileLock } from '../../llm/credentials/file-lock.ts';

/** By the project's real path. `digest` marks what was there when the user decided. */
const trustFile = object({
  projects: record(string(), object({ trusted: boolean(), digest: string(), decidedAt: string() })),
});

export type Decisions = Record<string, { trusted: boolean; digest: string; decidedAt: string }>;

export function trustFilePath(agentDirectory: string): string {
  return join(agentDirectory, 'trust.json');
}

/** Throws a Fault when the file is there and cannot be understood: then nothing is trusted, and nothing overwritten. */
export async function readDecisions(files: Pick<Files, 'info' | 'read'>, agentDirectory: string): Promise<Decisions> {
  const path = trustFilePath(agentDirectory);
  const info = await files.info(path);
  if (!info) return {};
  if (info.kind !== 'file') throw new Fault('config', `${path} is a ${info.kind}, not a file`);
  const wayOut = 'Mend it, or remove it to decide anew.';
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(await files.read(path)));
  } catch {
    throw new Fault('config', `${path} is not JSON. ${wayOut}`);
  }
  const checked = safeParse(trustFile, parsed);
  if (!checked.success) throw new Fault('config', `${path} does not hold decisions about projects. ${wayOut}`);
  return checked.output.projects;
}

type Writing = Pick<Ports, 'files' | 'clock' | 'ids'>;

/** Many processes may decide at once; none loses another's decision. */
export async function changeDecisions(
  ports: Writing,
  agentDirectory: string,
  change: (projects: Decisions) => void,
): Promise<void> {
  const path = trustFilePath(agentDirectory);
  await ports.files.makeDirectory(dirname(path), { mode: 0o700 });
  await withFileLock(ports, path, async (stillHeld) => {
    const projects = await readDecisions(ports.files, agentDirectory);
    change(projects);
    if (!(await stillHeld())) throw new Fault('busy', `${path} was taken over by another process. Try again.`);
    const text = `${JSON.stringify({ projects }, null, 2)}\n`;
    await ports.files.replace(path, new TextEncoder().encode(text), { mode: 0o600 });
  });
}
