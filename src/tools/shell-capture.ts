// Captures the output of a running command: the tail to show, and the full output in an artifact if it is long.
import type { Artifacts, Cancel, Ports } from '../contracts/index.ts';
import { AnsiStripper } from './ansi-stripper.ts';
import { ArtifactFile } from './artifact-file.ts';
import { OutputTail, type TailSnapshot } from './output-tail.ts';

const UPDATE_INTERVAL_MS = 50;
/** One decoder for all chunks: AnsiStripper never returns an incomplete character. */
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface CaptureOptions {
  readonly ports: Pick<Ports, 'clock' | 'files'>;
  readonly artifacts: Artifacts;
  readonly purpose: string;
  readonly onUpdate: ((tailSnapshot: TailSnapshot) => void) | undefined;
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface CapturedOutput extends TailSnapshot {
  artifactId?: string;
  fullOutputPath?: string;
  /** Why the full output could not be saved. */
  artifactError?: string;
}

export class ShellCapture {
  readonly #options: CaptureOptions;
  readonly #tail = new OutputTail();
  /** One per stream: a chunk of one stream may arrive between two halves of a character of the other. */
  readonly #streams = { stdout: new AnsiStripper(), stderr: new AnsiStripper() };
  #artifact: ArtifactFile | undefined;
  #lastUpdate = Number.NEGATIVE_INFINITY;
  #cancelUpdate: Cancel | undefined;
  #isFinished = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** Returns a promise when too many bytes wait for the disk; the command should then pause. */
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): undefined | Promise<void> {
    // Child processes that outlive the command may still write.
    if (this.#isFinished) return undefined;
    if (this.#add(this.#streams[stream].push(chunk))) this.#scheduleUpdate();
    return this.#artifact?.drained;
  }

  async finish(): Promise<CapturedOutput> {
    this.#add(this.#streams.stdout.end());
    this.#add(this.#streams.stderr.end());
    this.#isFinished = true;
    this.#cancelUpdate?.();
    const tail = this.#tail.snapshot();
    const artifact = await this.#artifact?.finish(tail.totalBytes);
    if (!artifact) return tail;
    if ('error' in artifact) return { ...tail, artifactError: artifact.error };
    return { ...tail, artifactId: artifact.id, fullOutputPath: artifact.path };
  }

  #add(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return false;
    if (!this.#artifact && !this.#tail.canShowAllWith(bytes)) {
      const { ports, artifacts, purpose } = this.#options;
      this.#artifact = new ArtifactFile(ports.files, artifacts, purpose);
      this.#artifact.append(this.#tail.copyAll());
    }
    this.#tail.append(bytes);
    this.#artifact?.append(bytes);
    this.#options.onOutput?.(utf8Decoder.decode(bytes));
    return true;
  }

  /** Updates at once after a pause, otherwise at the end of the interval. */
  #scheduleUpdate(): void {
    const { onUpdate, ports } = this.#options;
    if (!onUpdate || this.#cancelUpdate) return;
    const wait = this.#lastUpdate + UPDATE_INTERVAL_MS - ports.clock.now();
    const sendUpdate = () => {
      this.#cancelUpdate = undefined;
      this.#lastUpdate = ports.clock.now();
      onUpdate(this.#tail.snapshot());
    };
    if (wait <= 0) sendUpdate();
    else this.#cancelUpdate = ports.clock.after(wait, sendUpdate);
  }
}
