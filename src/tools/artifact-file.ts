// Writes the full output of a command to an artifact file while the command is running.
import { getErrorMessage } from '../base/index.ts';
import type { Artifacts, Files, OpenFile } from '../contracts/index.ts';
import { formatSize } from '../support/truncation.ts';

/** Limits the disk usage of a command that never ends. */
export const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;
/** With more pending bytes, `drained` asks the producer to wait. */
const HIGH_WATER_BYTES = 1024 * 1024;
const LF = 0x0a;

export type SavedArtifact = { id: string; path: string } | { error: string };

export class ArtifactFile {
  readonly #files: Files;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #accepted = 0;
  #lastByte = LF;
  #failure: string | undefined;
  #artifact: { id: string; path: string } | undefined;
  #file: OpenFile | undefined;
  #writing: Promise<void>;

  constructor(files: Files, artifacts: Artifacts, purpose: string) {
    this.#files = files;
    this.#writing = this.#open(artifacts, purpose);
  }

  /** Queues bytes without waiting; they are written in batches. */
  append(bytes: Uint8Array): void {
    const remaining = MAX_ARTIFACT_BYTES - this.#accepted;
    const accepted = bytes.length <= remaining ? bytes : truncateUtf8(bytes, remaining);
    // After one truncation all further bytes are dropped.
    this.#accepted = accepted.length < bytes.length ? MAX_ARTIFACT_BYTES : this.#accepted + accepted.length;
    this.#queue(accepted);
  }

  get drained(): Promise<void> | undefined {
    return this.#pendingBytes > HIGH_WATER_BYTES ? this.#writing : undefined;
  }

  /** Resolves when all bytes are in the file. `totalBytes` is the size of the whole output, including dropped bytes. */
  async finish(totalBytes: number): Promise<SavedArtifact> {
    if (totalBytes > MAX_ARTIFACT_BYTES) {
      const notice = `[Output capped here at ${formatSize(MAX_ARTIFACT_BYTES)} of ${totalBytes} bytes]\n`;
      this.#queue(Buffer.from(this.#lastByte === LF ? notice : `\n${notice}`));
    }
    await this.#writing;
    await this.#file?.close().catch(() => {});
    return this.#artifact && this.#failure === undefined ? this.#artifact : { error: this.#failure ?? 'not written' };
  }

  #queue(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#failure !== undefined) return;
    this.#lastByte = bytes.at(-1) as number;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    // One write at a time; bytes queued meanwhile form the next batch.
    if (this.#pending.length === 1) this.#writing = this.#writing.then(() => this.#write());
  }

  async #open(artifacts: Artifacts, purpose: string): Promise<void> {
    try {
      this.#artifact = await artifacts.reserve(purpose);
      this.#file = await this.#files.open(this.#artifact.path, 'create', { mode: 0o600 });
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  async #write(): Promise<void> {
    if (!this.#file) return;
    const [first, ...others] = this.#pending;
    const batch = first && others.length === 0 ? first : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      for (let at = 0; at < batch.length; ) at += await this.#file.append(batch.subarray(at));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.#failure = getErrorMessage(thrown);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** The first `limit` bytes at most, without an incomplete character at the end. */
function truncateUtf8(bytes: Uint8Array, limit: number): Uint8Array {
  let end = limit;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
