// Small text files that belong to a session and are stored next to its log.

export interface SidecarFiles {
  /** `undefined` when there is none. */
  read(name: string): Promise<string | undefined>;
  /** Resolves with the path when the file is on disk, or with `undefined` when the session is not persisted. */
  write(name: string, text: string): Promise<string | undefined>;
}
