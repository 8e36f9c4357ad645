// `SessionManager` for extensions: reads other sessions, and creates sessions in memory.

import { Fault, isRecord } from '../../base/index.ts';
import type { Ports, ProcessIdentity, SessionIndex, SessionSummary } from '../../contracts/index.ts';
import { buildSessionContext, SessionLogReader } from '../../core/extension/index.ts';
import { type EntryBody, SESSION_VERSION, type SessionEntry, type SessionHeader } from '../../protocol/index.ts';
import { getSessionDirectory } from '../../store/index.ts';
import { parseReference } from '../../store/postgres/session-reference.ts';
import { createSessionIndex } from '../../store/session-index.ts';

interface SessionManagerOptions {
  ports: Ports;
  agentDirectory: string;
  identity: ProcessIdentity;
  /** Finds sessions that are not stored in files. */
  sessionIndex?: SessionIndex | undefined;
  /** pi's SessionManager.open is synchronous. */
  readTextSync(path: string): string;
}

type LogPorts = Pick<Ports, 'clock' | 'ids'>;

/** Skips lines that are not entries, because the log may be damaged. */
export function parseEntries(text: string): (SessionHeader | SessionEntry)[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = line.trim() === '' ? undefined : JSON.parse(line);
      return isRecord(value) && typeof value.type === 'string' ? [value as unknown as SessionEntry] : [];
    } catch {
      return [];
    }
  });
}

function isHeader(line: SessionHeader | SessionEntry): line is SessionHeader {
  return line.type === 'session';
}

export function createSessionManagerClass(options: SessionManagerOptions): unknown {
  const { ports, agentDirectory, sessionIndex } = options;
  const listFiles = async (sessionDirectory?: string) =>
    (await createSessionIndex({ ...options, sessionDirectory }).list()).map(toSessionInfo);
  const listStored = async (index: SessionIndex, cwd?: string) =>
    (await index.list()).filter((session) => cwd === undefined || session.cwd === cwd).map(toSessionInfo);

  return class ExtensionSessionLog extends SessionLogEditor {
    constructor(header: SessionHeader, entries: SessionEntry[], file?: string) {
      super(ports, header, entries, file);
    }

    static open(path: string) {
      if (parseReference(path) !== undefined) throw createNotAFileFault(path);
      const lines = parseEntries(options.readTextSync(path));
      const header = lines.find(isHeader);
      if (!header) throw new Fault('not_found', `Not a session: ${path}`);
      return new ExtensionSessionLog(
        header,
        lines.filter((line): line is SessionEntry => !isHeader(line)),
        path,
      );
    }

    static inMemory = (cwd = process.cwd()) => new ExtensionSessionLog(createHeader(ports, cwd), []);
    /** A directory contains session files, also if a database is configured. */
    static list = (cwd: string, directory?: string) =>
      sessionIndex && directory === undefined
        ? listStored(sessionIndex, cwd)
        : listFiles(directory ?? getSessionDirectory(agentDirectory, cwd));
    static listAll = () => (sessionIndex ? listStored(sessionIndex) : listFiles());
    static create = () => throwUnsupported('create');
    static continueRecent = () => throwUnsupported('continueRecent');
    static forkFrom = () => throwUnsupported('forkFrom');
  };
}

/** The methods of one session log. Entries can be appended only to a log without a file. */
class SessionLogEditor extends SessionLogReader {
  protected readonly allEntries: SessionEntry[];
  readonly #ports: LogPorts;
  readonly #header: SessionHeader;
  readonly #file: string | undefined;
  #leafId: string | null;

  constructor(ports: LogPorts, header: SessionHeader, entries: SessionEntry[], file: string | undefined) {
    super();
    this.#ports = ports;
    this.#header = header;
    this.allEntries = entries;
    this.#file = file;
    this.#leafId = entries.at(-1)?.id ?? null;
  }

  readonly getLeafId = () => this.#leafId;
  readonly getHeader = () => this.#header;
  readonly getCwd = () => this.#header.cwd;
  readonly getSessionId = () => this.#header.id;
  readonly getSessionFile = () => this.#file;
  readonly getSessionDir = () => this.#file?.replace(/[/\\][^/\\]*$/, '') ?? '';
  readonly isPersisted = () => this.#file !== undefined;
  readonly buildSessionContext = () => buildSessionContext(this.allEntries, this.#leafId);
  readonly getSessionName = () => {
    const infoEntry = this.allEntries.findLast((entry) => entry.type === 'session_info');
    return infoEntry?.type === 'session_info' ? infoEntry.name : undefined;
  };

  readonly branch = (id: string) => {
    if (!this.getEntry(id)) throw new Fault('not_found', `No entry has the id ${id}`);
    this.#leafId = id;
  };
  readonly resetLeaf = () => {
    this.#leafId = null;
  };
  readonly appendMessage = (message: never) => this.#append('appendMessage', { type: 'message', message });
  readonly appendCustomEntry = (customType: string, data?: unknown) =>
    this.#append('appendCustomEntry', { type: 'custom', customType, ...(data === undefined ? {} : { data }) });
  readonly appendSessionInfo = (name: string) =>
    this.#append('appendSessionInfo', { type: 'session_info', name: name.trim() });
  readonly appendLabelChange = (targetId: string, label?: string) =>
    this.#append('appendLabelChange', { type: 'label', targetId, ...(label ? { label } : {}) });

  #append(methodName: string, body: EntryBody): string {
    if (this.#file !== undefined) throwUnsupported(methodName);
    const id = this.#ports.ids.entryId();
    const timestamp = formatTime(this.#ports);
    this.allEntries.push({ ...body, id, parentId: this.#leafId, timestamp } as SessionEntry);
    this.#leafId = id;
    return id;
  }
}

function createHeader(ports: LogPorts, cwd: string): SessionHeader {
  const id = ports.ids.uuid();
  return { type: 'session', version: SESSION_VERSION, id, timestamp: formatTime(ports), cwd };
}

function formatTime({ clock }: LogPorts): string {
  return new Date(clock.now()).toISOString();
}

function createNotAFileFault(reference: string): Fault {
  const message = `SessionManager.open reads files, and ${reference} is in a database. Use ctx.sessionManager, or \`parley sessions export\`.`;
  return new Fault('refused', message);
}

function throwUnsupported(methodName: string): never {
  const alternative = 'Use pi.appendEntry, or ctx.newSession({ setup }).';
  throw new Fault('refused', `SessionManager.${methodName}: only a session itself writes its log. ${alternative}`);
}

/** The summary of a session in the format of pi. */
function toSessionInfo({ path, id, cwd, name, createdMs, modifiedMs, messages, opening }: SessionSummary) {
  return {
    path,
    id,
    cwd,
    ...(name === undefined ? {} : { name }),
    created: new Date(createdMs),
    modified: new Date(modifiedMs),
    messageCount: messages,
    firstMessage: opening,
    allMessagesText: opening,
  };
}
