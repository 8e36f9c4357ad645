// Ground floor: small texts that belong to a conversation and lie beside its log.

export interface Kept {
  /** `undefined` when there is none. */
  read(name: string): Promise<string | undefined>;
  /** Resolves when it is on disk, or in memory where the session is not kept either. */
  write(name: string, text: string): Promise<void>;
}
