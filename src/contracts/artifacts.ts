// The complete outputs of tools.

/** Storage of complete outputs, when a tool result contains only a part. */
export interface Artifacts {
  /** Returns the next free id and its path. The first call creates the directory. */
  reserve(toolName: string): Promise<{ id: string; path: string }>;
  /** The path of an existing artifact. */
  find(id: string): Promise<string | undefined>;
}
