// First floor, tools: keeps a whole output on disk while it is still coming. Knows no processes and shows nothing.
import { messageOf } from '../base/index.ts';
import type { Artifacts, Files, OpenFile } from '../contracts/index.ts';
import { formatSize } from './truncation.ts';

/** A command that never stops talking must not fill the disk. */
export const ARTIFACT_LIMIT = 64 * 1024 * 1024;
/** With this much waiting for the disk, whoever writes should wait too. */
const HIGH_WATER = 1024 * 1024;
const LF = 0x0a;

export type KeptArtifact = { id: string; path: string } | { error: string };

export class ArtifactFile {
  readonly #files: Files;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #accepted = 0;
  #lastByte = LF;
  #failure: string | undefined;
  #place: { id: string; path: string } | undefined;
  #file: OpenFile | undefined;
  #writing: Promise<void>;

  constructor(files: Files, artifacts: Artifacts, purpose: string) {
    this.#files = files;
    this.#writing = this.#open(artifacts, purpose);
  }

  /** Takes bytes without waiting; they are written one batch after another. */
  add(bytes: Uint8Array): void {
    const room = ARTIFACT_LIMIT - this.#accepted;
    const taken = bytes.length <= room ? bytes : wholeCharacters(bytes, room);
    // Nothing more fits once something did not.
    this.#accepted = taken.length < bytes.length ? ARTIFACT_LIMIT : this.#accepted + taken.length;
    this.#queue(taken);
  }

  get relief(): Promise<void> | undefined {
    return this.#waitingBytes > HIGH_WATER ? this.#writing : undefined;
  }

  /** Resolves when everything is in the file. `totalBytes` tells whether something had to be left out. */
  async finish(totalBytes: number): Promise<KeptArtifact> {
    if (totalBytes > ARTIFACT_LIMIT) {
      const remark = `[Output capped here at ${formatSize(ARTIFACT_LIMIT)} of ${totalBytes} bytes]\n`;
      this.#queue(Buffer.from(this.#lastByte === LF ? remark : `\n${remark}`));
    }
    await this.#writing;
    await this.#file?.close().catch(() => {});
    return this.#place && this.#failure === undefined ? this.#place : { error: this.#failure ?? 'not written' };
  }

  #queue(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#failure !== undefined) return;
    this.#lastByte = bytes.at(-1) as number;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    // One writer at a time; whoever comes meanwhile joins its next batch.
    if (this.#waiting.length === 1) this.#writing = this.#writing.then(() => this.#write());
  }

  async #open(artifacts: Artifacts, purpose: string): Promise<void> {
    try {
      this.#place = await artifacts.reserve(purpose);
      this.#file = await this.#files.open(this.#place.path, 'create', { mode: 0o600 });
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  async #write(): Promise<void> {
    if (!this.#file) return;
    const [only, ...others] = this.#waiting;
    const batch = only && others.length === 0 ? only : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      for (let at = 0; at < batch.length; ) at += await this.#file.append(batch.subarray(at));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.#failure = messageOf(thrown);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

/** At most `limit` bytes from the start, without half a character at the end. */
function wholeCharacters(bytes: Uint8Array, limit: number): Uint8Array {
  let end = limit;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
