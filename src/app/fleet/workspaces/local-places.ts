// The directories of workspaces on this machine, and what is known about each of them here.
import { literal, number, object, optional, string } from 'valibot';
import { isRecord, tryParseJson } from '../../../base/index.ts';
import { type Ports, validate } from '../../../contracts/index.ts';
import { digestText } from '../../../support/digest.ts';
import { ControlRepository } from './control-repository.ts';
import { encodeName } from './repository-url.ts';
import { WorkingCopy } from './working-copy.ts';

const localState = object({
  sessionId: string(),
  repository: string(),
  remote: string(),
  usedMs: number(),
  /** The stored facts from which the files were restored. No session has used them since. */
  restoredFrom: optional(string()),
  /** All files are on the remote. */
  isSaved: optional(literal(true)),
});

export interface LocalState {
  readonly sessionId: string;
  readonly repository: string;
  readonly remote: string;
  readonly usedMs: number;
  readonly restoredFrom?: string | undefined;
  readonly isSaved?: true | undefined;
}

export interface LocalPlacesOptions {
  readonly ports: Ports;
  /** Of all workspaces. */
  readonly directory: string;
  readonly tenant: string;
}

const STATE_FILE = 'state.json';

export class LocalPlaces {
  readonly #options: LocalPlacesOptions;
  readonly #controls = new Map<string, ControlRepository>();
  #nodeId: Promise<string> | undefined;

  constructor(options: LocalPlacesOptions) {
    this.#options = options;
  }

  /** Identifies this directory: processes that share it find the same files there. */
  getNodeId(): Promise<string> {
    this.#nodeId ??= this.#readNodeId();
    return this.#nodeId;
  }

  async #readNodeId(): Promise<string> {
    const { files, ids } = this.#options.ports;
    const { directory } = this.#options;
    await files.makeDirectory(directory, { mode: 0o700 });
    const path = `${directory}/.node`;
    if (!(await files.info(path))) {
      // The first of several processes that start at the same time.
      const file = await files.open(path, 'create', { mode: 0o600 }).catch(() => undefined);
      await file?.append(Buffer.from(ids.uuid()));
      await file?.close();
    }
    return Buffer.from(await files.read(path)).toString('utf8');
  }

  getSessionDirectory(sessionId: string): string {
    return `${this.#tenantDirectory}/${encodeName(sessionId)}`;
  }

  getCopy(sessionId: string, name: string): WorkingCopy {
    return new WorkingCopy({ ports: this.#options.ports, directory: this.getSessionDirectory(sessionId), name });
  }

  getControl(repository: string, remote: string): ControlRepository {
    const key = JSON.stringify([repository, remote]);
    const known = this.#controls.get(key);
    if (known) return known;
    const { ports, directory } = this.#options;
    const path = `${directory}/.repositories/${digestText(key).toString('hex').slice(0, 24)}.git`;
    const control = new ControlRepository({ ports, path, repository, remote });
    this.#controls.set(key, control);
    return control;
  }

  async readState(sessionId: string): Promise<LocalState | undefined> {
    return this.#readStateIn(this.getSessionDirectory(sessionId));
  }

  async writeState(state: LocalState): Promise<void> {
    const { files } = this.#options.ports;
    const directory = this.getSessionDirectory(state.sessionId);
    await files.makeDirectory(directory, { mode: 0o700 });
    await files.replace(`${directory}/${STATE_FILE}`, Buffer.from(JSON.stringify(state)), { mode: 0o600 });
  }

  async remove(sessionId: string): Promise<void> {
    await this.#options.ports.files.remove(this.getSessionDirectory(sessionId), { recursive: true }).catch(() => {});
  }

  async listStates(): Promise<LocalState[]> {
    const listed = await this.#options.ports.files.list(this.#tenantDirectory).catch(() => []);
    const states = await Promise.all(listed.map(({ name }) => this.#readStateIn(`${this.#tenantDirectory}/${name}`)));
    return states.filter((state) => state !== undefined);
  }

  /** The session whose workspace contains the directory. */
  async findOwner(directory: string): Promise<string | undefined> {
    const { files } = this.#options.ports;
    const root = `${await files.realPath(this.#tenantDirectory)}/`;
    const path = await files.realPath(directory);
    if (!path.startsWith(root)) return undefined;
    return (await this.#readStateIn(`${root}${path.slice(root.length).split('/')[0]}`))?.sessionId;
  }

  get #tenantDirectory(): string {
    return `${this.#options.directory}/${encodeName(this.#options.tenant)}`;
  }

  async #readStateIn(directory: string): Promise<LocalState | undefined> {
    const bytes = await this.#options.ports.files.read(`${directory}/${STATE_FILE}`).catch(() => undefined);
    const value = bytes && tryParseJson(Buffer.from(bytes).toString('utf8'));
    if (!isRecord(value)) return undefined;
    try {
      return validate(localState, value);
    } catch {
      return undefined;
    }
  }
}
