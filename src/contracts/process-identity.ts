// Identifies a process, so that a lock or a folder that it left behind can be recognised as abandoned.

/** The start time distinguishes a process from a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** In the unit of the operating system; absent where it is not available. */
  readonly startTime?: number | undefined;
  readonly host: string;
}

export interface ProcessIdentity {
  readonly self: ProcessId;
  /** Whether a process of this host is still running. Without a start time, any process with that number counts. */
  isAlive(pid: number, startTime: number | undefined): Promise<boolean>;
}
