// Runs that other processes continue when the process that executes them has ended.

export interface RunReference {
  readonly tenant: string;
  readonly sessionId: string;
}

/** Gets the runs of the sessions that this process writes. */
export interface RunListener {
  /** Called before the entries that open a run are stored. */
  onOpen(run: RunReference): Promise<void>;
  /** This process has opened a session whose run was executed by a node that has ended. It has to continue the run. */
  onTaken(run: RunReference): void;
  /** The entries that end the run are stored. */
  onEnd(run: RunReference): void;
  /** The session was closed while its run is open: it can be continued. */
  onRelease(run: RunReference): void;
  /** Another process has taken over the session, or it was deleted. This process must not continue its work. */
  onLost(run: RunReference): void;
}

export interface RunWorkflows {
  /** Records that this process executes the run. Resolves when it is stored. `act` is awaited in the background; when it resolves, the run has ended. */
  start(run: RunReference, act: () => Promise<void>): Promise<void>;
  /** Lets the runs of processes that have ended be executed again, by any node. Returns their number. */
  recover(isAlive: (executorId: string) => boolean): Promise<number>;
  /** Deletes the records of runs that have ended before this time. Returns their number. */
  removeEnded(beforeMs: number): Promise<number>;
  /** Runs in progress stay recorded, so that another node continues them. */
  close(): Promise<void>;
}
