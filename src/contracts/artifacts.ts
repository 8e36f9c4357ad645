// The complete outputs of tools.

/** Storage of complete outputs, when a tool result contains only a part. */
export interface Artifacts {
  /** Returns the next free id and its path. The first call creates the directory. */
  reserve(toolName: string): Promise<{ id: string; path: string }>;
  /** The path of an existing artifact. */
  find(id: string): Promise<string | undefined>;
}

export interface StoredArtifact {
  readonly id: string;
  readonly toolName: string;
  readonly bytes: number;
  /** When its last byte was written. */
  readonly createdMs: number;
  readonly path: string;
}

/** A part of an artifact: `text`, or `base64` if it is not UTF-8 text. */
export interface ArtifactPart {
  readonly text?: string;
  readonly base64?: string;
  /** The size of the artifact. */
  readonly totalBytes: number;
  /** Where the next part begins. Absent for the last one. */
  readonly nextOffset?: number;
}

/** The artifacts of a session, for hosts. */
export interface ArtifactReader {
  /** Oldest first. */
  list(): Promise<readonly StoredArtifact[]>;
  /** Throws a Fault when there is no artifact with the id. */
  read(
    id: string,
    range?: { readonly offset?: number | undefined; readonly limit?: number | undefined },
  ): Promise<ArtifactPart>;
}
