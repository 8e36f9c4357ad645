// Reads the log of a session in the database like a file: the header, then the lines. So the code that reads session files is used.
import { Fault } from '../../base/fault.ts';
import type { Database } from '../../contracts/database.ts';
import type { OpenFile } from '../../contracts/ports.ts';
import type { ContentCipher } from './content-cipher.ts';
import { decodeLines, type EntryRow, type SessionKey } from './entry-rows.ts';
import { getHeaderPlace } from './session-details.ts';
import { formatReference } from './session-reference.ts';

export interface LogReaderContext {
  readonly database: Database;
  readonly cipher: ContentCipher;
}

interface HeadRow {
  readonly header: Uint8Array;
  readonly headerKey: string | null;
  readonly endPosition: number;
}

/** A part of the entries that was read. */
interface Part {
  readonly start: number;
  readonly bytes: Buffer;
}

const READ_ROWS = `select position, length, body, body_key as "bodyKey", image_hashes as "imageHashes" from parley.entries
  where tenant = $1 and session = $2 and position < $4 and position >= (
    select coalesce(max(position), 0) from parley.entries where tenant = $1 and session = $2 and position <= $3)
  order by position`;

/** Opens the log as it is now. Entries that are added later are not seen. */
export async function openLogReader(context: LogReaderContext, session: SessionKey): Promise<OpenFile> {
  const [row] = await context.database.tenantTransaction(session.tenant, (connection) =>
    connection.query<HeadRow>(
      'select header, header_key as "headerKey", end_position as "endPosition" from parley.sessions where tenant = $1 and id = $2',
      [session.tenant, session.id],
    ),
  );
  if (!row) throw new Fault('not_found', `Session not found: ${formatReference(session.id)}`);
  return createLogReader(context, session, row);
}

export function createLogReader(context: LogReaderContext, session: SessionKey, row: HeadRow): OpenFile {
  const header = context.cipher.decrypt({ bytes: row.header, keyId: row.headerKey }, getHeaderPlace(session));
  const size = header.length + row.endPosition;
  const entries = new EntryReader(context, session);
  return {
    size: async () => size,
    version: async () => ({ size, versionTag: String(size), changedMs: 0 }),
    async read(position, length) {
      const end = Math.min(position + length, size);
      if (end <= position) return Buffer.alloc(0);
      const ownHeader = header.subarray(position, Math.min(end, header.length));
      if (end <= header.length) return ownHeader;
      const rest = await entries.read(Math.max(0, position - header.length), end - header.length);
      return ownHeader.length === 0 ? rest : Buffer.concat([ownHeader, rest]);
    },
    readSync: () => rejectChange(),
    append: async () => rejectChange(),
    sync: async () => {},
    truncate: async () => rejectChange(),
    restrictToOwner: async () => {},
    close: async () => {},
  };
}

function rejectChange(): never {
  throw new Error('the log of a session in a database can only be read');
}

class EntryReader {
  readonly #context: LogReaderContext;
  readonly #session: SessionKey;
  /** Whole lines. A long line is read in several steps. */
  #last: Part | undefined;

  constructor(context: LogReaderContext, session: SessionKey) {
    this.#context = context;
    this.#session = session;
  }

  async read(start: number, end: number): Promise<Buffer> {
    const last = this.#last;
    const lastEnd = last ? last.start + last.bytes.length : 0;
    if (last && start >= last.start && end <= lastEnd) return last.bytes.subarray(start - last.start, end - last.start);
    if (last && end > last.start && end <= lastEnd && start < last.start) {
      const before = await this.#readPart(start, last.start);
      return Buffer.concat([before.bytes.subarray(start - before.start), last.bytes.subarray(0, end - last.start)]);
    }
    const part = await this.#readPart(start, end);
    return part.bytes.subarray(start - part.start, end - part.start);
  }

  async #readPart(start: number, end: number): Promise<Part> {
    const { database, cipher } = this.#context;
    const { tenant, id } = this.#session;
    const part = await database.tenantTransaction(tenant, async (connection) => {
      const rows = await connection.query<EntryRow>(READ_ROWS, [tenant, id, start, end]);
      const bytes = await decodeLines(connection, cipher, this.#session, rows);
      return { start: rows[0]?.position ?? start, bytes };
    });
    if (part.start > start || part.start + part.bytes.length < end)
      throw new Fault('storage', `Entries of session ${formatReference(id)} are missing in the database.`);
    this.#last = part;
    return part;
  }
}
