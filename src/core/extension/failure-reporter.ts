// Collects failures of extensions and buffers them until reporting starts.
import { getErrorMessage } from '../../base/index.ts';

export interface ExtensionFailure {
  readonly extensionPath: string;
  readonly event: string;
  readonly error: string;
}

export class FailureReporter {
  readonly #emit: (failure: ExtensionFailure) => void;
  #buffered: ExtensionFailure[] | undefined = [];

  constructor(emit: (failure: ExtensionFailure) => void) {
    this.#emit = emit;
  }

  readonly report = ({ path }: { readonly path: string }, event: string, thrown: unknown): void => {
    const failure = { extensionPath: path, event, error: getErrorMessage(thrown) };
    if (this.#buffered) this.#buffered.push(failure);
    else this.#emit(failure);
  };

  /** Failures that are still buffered. */
  get unreported(): readonly ExtensionFailure[] {
    return this.#buffered ?? [];
  }

  /** Reports the buffered failures, and every later one immediately. */
  startReporting(): void {
    const buffered = this.#buffered ?? [];
    this.#buffered = undefined;
    for (const failure of buffered) this.#emit(failure);
  }
}
