// First floor, tools: collects what a running command says: the tail to show, the whole to keep. Knows no processes.
import type { Artifacts, Cancel, Ports } from '../contracts/index.ts';
import { ArtifactFile } from './artifact-file.ts';
import { OutputTail, type Tail } from './output-tail.ts';
import { TerminalText } from './terminal-text.ts';

const UPDATE_EVERY_MS = 50;
/** What has been cleaned has no half characters left. */
const CLEAN = new TextDecoder('utf-8', { ignoreBOM: true });

export interface CaptureSettings {
  readonly ports: Pick<Ports, 'clock' | 'files'>;
  readonly artifacts: Artifacts;
  readonly purpose: string;
  readonly onUpdate: ((tail: Tail) => void) | undefined;
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface Captured extends Tail {
  artifactId?: string;
  fullOutputPath?: string;
  /** Why the whole output was not kept although only a part is shown. */
  artifactError?: string;
}

export class ShellCapture {
  readonly #settings: CaptureSettings;
  readonly #tail = new OutputTail();
  /** One each: a chunk of one may come between the two halves of the other's character. */
  readonly #streams = { stdout: new TerminalText(), stderr: new TerminalText() };
  #artifact: ArtifactFile | undefined;
  #lastUpdate = Number.NEGATIVE_INFINITY;
  #cancelUpdate: Cancel | undefined;
  #isOver = false;

  constructor(settings: CaptureSettings) {
    this.#settings = settings;
  }

  /** Returns a promise when the disk is so far behind that the command should wait. */
  take(chunk: Uint8Array, stream: 'stdout' | 'stderr'): undefined | Promise<void> {
    // Children that were left behind may go on talking.
    if (this.#isOver) return undefined;
    if (this.#add(this.#streams[stream].push(chunk))) this.#announce();
    return this.#artifact?.relief;
  }

  async finish(): Promise<Captured> {
    this.#add(this.#streams.stdout.end());
    this.#add(this.#streams.stderr.end());
    this.#isOver = true;
    this.#cancelUpdate?.();
    const tail = this.#tail.snapshot();
    const kept = await this.#artifact?.finish(tail.totalBytes);
    if (!kept) return tail;
    if ('error' in kept) return { ...tail, artifactError: kept.error };
    return { ...tail, artifactId: kept.id, fullOutputPath: kept.path };
  }

  #add(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return false;
    if (!this.#artifact && !this.#tail.fits(bytes)) {
      const { ports, artifacts, purpose } = this.#settings;
      this.#artifact = new ArtifactFile(ports.files, artifacts, purpose);
      this.#artifact.add(this.#tail.whole());
    }
    this.#tail.append(bytes);
    this.#artifact?.add(bytes);
    this.#settings.onOutput?.(CLEAN.decode(bytes));
    return true;
  }

  /** At once after a pause, otherwise when the interval is over. */
  #announce(): void {
    const { onUpdate, ports } = this.#settings;
    if (!onUpdate || this.#cancelUpdate) return;
    const wait = this.#lastUpdate + UPDATE_EVERY_MS - ports.clock.now();
    const announce = () => {
      this.#cancelUpdate = undefined;
      this.#lastUpdate = ports.clock.now();
      onUpdate(this.#tail.snapshot());
    };
    if (wait <= 0) announce();
    else this.#cancelUpdate = ports.clock.after(wait, announce);
  }
}
