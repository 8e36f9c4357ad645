// Reads and writes trust.json, which contains the user's decisions about projects.
import { dirname, join } from 'node:path';
import { boolean, object, record, safeParse, string } from 'valibot';
import { Fault } from '../base/index.ts';
import type { Files, Ports } from '../contracts/index.ts';
import { withFileLock } from '../support/file-lock.ts';

/** Keyed by the real path of the project. `digest` identifies the content that the user decided about. */
const trustFileSchema = object({
  projects: record(string(), object({ trusted: boolean(), digest: string(), decidedAt: string() })),
});

export type SavedDecisions = Record<string, { trusted: boolean; digest: string; decidedAt: string }>;

export function getTrustFilePath(agentDirectory: string): string {
  return join(agentDirectory, 'trust.json');
}

/** Throws a Fault when the file exists and is invalid. Then no project is trusted, and the file is not overwritten. */
export async function readDecisions(
  files: Pick<Files, 'info' | 'read'>,
  agentDirectory: string,
): Promise<SavedDecisions> {
  const path = getTrustFilePath(agentDirectory);
  const info = await files.info(path);
  if (!info) return {};
  if (info.kind !== 'file') throw new Fault('config', `${path} is a ${info.kind}, not a file`);
  const remedy = 'Fix the file, or remove it to decide again.';
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(await files.read(path)));
  } catch {
    throw new Fault('config', `${path} is not JSON. ${remedy}`);
  }
  const checked = safeParse(trustFileSchema, parsed);
  if (!checked.success) throw new Fault('config', `${path} is not a valid trust file. ${remedy}`);
  return checked.output.projects;
}

type TrustFilePorts = Pick<Ports, 'files' | 'clock' | 'ids'>;

/** Uses a lock, so that concurrent processes do not lose each other's decisions. */
export async function updateDecisions(
  ports: TrustFilePorts,
  agentDirectory: string,
  change: (projects: SavedDecisions) => void,
): Promise<void> {
  const path = getTrustFilePath(agentDirectory);
  await ports.files.makeDirectory(dirname(path), { mode: 0o700 });
  await withFileLock(ports, path, async (assertLockHeld) => {
    const projects = await readDecisions(ports.files, agentDirectory);
    change(projects);
    await assertLockHeld();
    const text = `${JSON.stringify({ projects }, null, 2)}\n`;
    await ports.files.replace(path, new TextEncoder().encode(text), { mode: 0o600 });
  });
}
