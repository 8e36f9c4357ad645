// Opens the database of sessions that flags, settings or the environment name, for programs that start no agent.
import { Fault } from '../base/index.ts';
import { applySettingFlags, loadSettings, resolveAgentDirectory, type SettingValues } from '../settings/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { type DatabaseSecrets, takeDatabaseSecrets } from './database-secrets.ts';
import type { OpenedStorage } from './session-storage.ts';
import type { SystemPorts } from './system-ports/index.ts';

/** What the command line says about the database. */
export interface StorageChoice {
  readonly store?: string | undefined;
  readonly tenant?: string | undefined;
  /** `KEY=VALUE` from the command line. */
  readonly set?: readonly string[] | undefined;
}

/** A project cannot change the settings of the database. */
export interface StorageConfiguration {
  readonly settings: SettingValues;
  /** Absent if sessions are stored in files. */
  readonly url: string | undefined;
  readonly agentDirectory: string;
}

/** Throws a Fault when a setting of the database is not valid: other sessions would be used than the user means. */
export async function readStorageConfiguration(
  { store, tenant, set = [] }: StorageChoice,
  { files }: Pick<SystemPorts, 'files'>,
  secrets: DatabaseSecrets,
): Promise<StorageConfiguration> {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const overrides = [...set, ...(tenant === undefined ? [] : [`database.tenant=${tenant}`])];
  const loaded = await loadSettings({ files, agentDirectory, overrides, home: homeDirectory() }).catch(
    (thrown: unknown) => {
      throw tenant === undefined ? thrown : nameTenantFlag(thrown);
    },
  );
  const problem = loaded.restrictionProblems.find((text) => /\b(store|database)\b/.test(text));
  if (problem !== undefined) throw new Fault('config', `${problem}. It says which sessions are used.`);
  const settings = applySettingFlags(loaded.values, { store });
  return { settings, agentDirectory, url: settings.store ?? secrets.url };
}

function nameTenantFlag(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown;
  return new Fault(thrown.code, thrown.message.replace('--set: database.tenant', '--tenant'), { cause: thrown });
}

/** `undefined` if sessions are stored in files. */
export async function openConfiguredStorage(
  choice: StorageChoice,
  ports: SystemPorts,
  secrets: DatabaseSecrets = takeDatabaseSecrets(process.env),
): Promise<OpenedStorage | undefined> {
  const { settings, url, agentDirectory } = await readStorageConfiguration(choice, ports, secrets);
  if (url === undefined) {
    if (choice.tenant !== undefined) throw new Fault('config', `--tenant has no effect without a database. ${REMEDY}`);
    return undefined;
  }
  const { openSessionStorage } = await import('./session-storage.ts');
  return openSessionStorage({ ports, settings, agentDirectory, secrets, redact: ports.redact });
}

const REMEDY = 'Name one: --store URL, the setting store, or the variable PARLEY_DATABASE_URL.';

/** `purpose` completes "… needs a database". */
export function createNoDatabaseFault(purpose: string): Fault {
  return new Fault('config', `${purpose} needs a database. ${REMEDY}`);
}
