// First floor, core: what goes wrong in extensions, kept until somebody can be told. Knows neither wire nor terminal.
import { messageOf } from '../../base/index.ts';

export interface Failure {
  readonly extensionPath: string;
  readonly event: string;
  readonly error: string;
}

export class Failures {
  readonly #tell: (failure: Failure) => void;
  #early: Failure[] | undefined = [];

  constructor(tell: (failure: Failure) => void) {
    this.#tell = tell;
  }

  readonly report = ({ path }: { readonly path: string }, event: string, thrown: unknown): void => {
    const failure = { extensionPath: path, event, error: messageOf(thrown) };
    if (this.#early) this.#early.push(failure);
    else this.#tell(failure);
  };

  /** Those that nobody has been told of yet. */
  get untold(): readonly Failure[] {
    return this.#early ?? [];
  }

  /** Somebody listens. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const failure of early) this.#tell(failure);
  }
}
