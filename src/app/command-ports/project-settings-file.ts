// Writes the settings file of a trusted project. The saved decision to trust the project is renewed if nothing else has changed.
import { join } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { writeSettings } from '../../settings/write-settings.ts';
import { createInventory, type Inventory } from '../../trust/inventory.ts';
import { saveDecision } from '../../trust/saved-decision.ts';
import { readDecisions } from '../../trust/trust-file.ts';

interface ProjectFileOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  readonly cwd: string;
}

const FOLDER = '.parley';

export function getProjectSettingsFile(cwd: string): string {
  return join(cwd, FOLDER, 'settings.json');
}

export async function writeProjectSettings(
  options: ProjectFileOptions,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { ports, cwd } = options;
  await checkInsideProject(options);
  const before = await readTrustedInventory(options);
  await writeSettings({ ports, agentDirectory: join(cwd, FOLDER), isShared: true }, changes);
  if (before) await renewDecision(options, before);
}

/** A link could lead to any file of the user. */
async function checkInsideProject({ ports: { files }, cwd }: ProjectFileOptions): Promise<void> {
  const file = getProjectSettingsFile(cwd);
  const [realFile, realCwd] = await Promise.all([files.realPath(file), files.realPath(cwd)]);
  if (realFile.startsWith(`${realCwd}/`)) return;
  throw new Fault(
    'refused',
    `${file} is a link to ${realFile}, which is outside of the project. Remove the link first.`,
  );
}

/** `undefined` if there is no saved decision, or if it does not apply to the project as it is now. */
async function readTrustedInventory({
  ports,
  agentDirectory,
  cwd,
}: ProjectFileOptions): Promise<Inventory | undefined> {
  const saved = (await readDecisions(ports.files, agentDirectory))[await ports.files.realPath(cwd)];
  if (!saved?.trusted) return undefined;
  const inventory = await createInventory(ports.files, cwd).catch(() => undefined);
  return inventory?.digest === saved.digest ? inventory : undefined;
}

/** Only if the settings file is the only difference: another file, such as an extension that the settings now name, needs a new decision. */
async function renewDecision(options: ProjectFileOptions, before: Inventory): Promise<void> {
  const { ports, cwd } = options;
  const after = await createInventory(ports.files, cwd).catch(() => undefined);
  if (!after) return;
  const file = getProjectSettingsFile(cwd);
  const paths = new Set([...before.roots.keys(), ...after.roots.keys()]);
  const isOnlyChange = [...paths].every((path) => path === file || before.roots.get(path) === after.roots.get(path));
  if (isOnlyChange) await saveDecision(options, { trusted: true, digest: after.digest });
}
