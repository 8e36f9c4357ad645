// The hall: `SessionManager`, by which extensions look into sessions that are not theirs, or keep one in memory.
import { Fault, isRecord } from '../../../base/index.ts';
import type { Ports, SessionSummary } from '../../../contracts/index.ts';
import { LogReading, sessionContext } from '../../../core/extension/log-reading.ts';
import { type EntryBody, SESSION_VERSION, type SessionEntry, type SessionHeader } from '../../../protocol/index.ts';
import { sessionFolder } from '../../../store/index.ts';
import { createShelves } from '../../desk/shelves.ts';
import { readTextNow } from '../../system-ports/read-now.ts';

interface Surroundings {
  ports: Ports;
  agentDirectory: string;
}

/** Lines that are no entries are passed over, as a log that was damaged is read. */
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

export function sessionManagerClass({ ports, agentDirectory }: Surroundings): unknown {
  const listed = async (sessionDirectory?: string) =>
    (await createShelves({ ports, agentDirectory, sessionDirectory }).list()).map(infoOf);
  const stamp = () => new Date(ports.clock.now()).toISOString();
  const newHeader = (cwd: string): SessionHeader => {
    const id = ports.ids.uuid();
    return { type: 'session', version: SESSION_VERSION, id, timestamp: stamp(), cwd };
  };
  const refuse = (what: string): never => {
    const wayOut = 'Use pi.appendEntry, or ctx.newSession({ setup }).';
    throw new Fault('refused', `SessionManager.${what}: only a session itself writes its log. ${wayOut}`);
  };

  return class OtherLog extends LogReading {
    protected readonly all: SessionEntry[];
    readonly #header: SessionHeader;
    readonly #file: string | undefined;
    #leafId: string | null;

    constructor(header: SessionHeader, entries: SessionEntry[], file?: string) {
      super();
      this.#header = header;
      this.all = entries;
      this.#file = file;
      this.#leafId = entries.at(-1)?.id ?? null;
    }

    static open(path: string) {
      const lines = parseEntries(readTextNow(path));
      const header = lines.find(isHeader);
      if (!header) throw new Fault('not_found', `Not a session: ${path}`);
      return new OtherLog(
        header,
        lines.filter((line): line is SessionEntry => !isHeader(line)),
        path,
      );
    }

    static inMemory = (cwd = process.cwd()) => new OtherLog(newHeader(cwd), []);
    static list = (cwd: string, directory?: string) => listed(directory ?? sessionFolder(agentDirectory, cwd));
    static listAll = () => listed();
    static create = () => refuse('create');
    static continueRecent = () => refuse('continueRecent');
    static forkFrom = () => refuse('forkFrom');

    readonly getLeafId = () => this.#leafId;
    readonly getHeader = () => this.#header;
    readonly getCwd = () => this.#header.cwd;
    readonly getSessionId = () => this.#header.id;
    readonly getSessionFile = () => this.#file;
    readonly getSessionDir = () => this.#file?.replace(/[/\\][^/\\]*$/, '') ?? '';
    readonly isPersisted = () => this.#file !== undefined;
    readonly buildSessionContext = () => sessionContext(this.all, this.#leafId);
    readonly getSessionName = () => {
      const named = this.all.findLast((entry) => entry.type === 'session_info');
      return named?.type === 'session_info' ? named.name : undefined;
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

    #append(what: string, body: EntryBody): string {
      if (this.#file !== undefined) refuse(what);
      const id = ports.ids.entry();
      this.all.push({ ...body, id, parentId: this.#leafId, timestamp: stamp() } as SessionEntry);
      this.#leafId = id;
      return id;
    }
  };
}

/** As extensions show it to people. */
function infoOf({ path, id, cwd, name, createdMs, modifiedMs, messages, opening }: SessionSummary) {
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
