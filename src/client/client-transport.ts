// Interface for sending lines to an agent and receiving its lines. Free of Node APIs, so that the client also runs in browsers.

export interface ClientTransport {
  /** Received lines without the newline. Read only as fast as they are consumed. Ends when the agent has exited. */
  readonly lines: AsyncIterable<string>;
  /** Sends one whole line, newline included. Lines for an agent that has exited are dropped. */
  write(line: string): void;
  /** Closes the agent's input. The agent finishes its work and exits. */
  end(): void;
  /** Resolves when the agent has exited, at the latest when `lines` has ended. Never rejects. */
  readonly closed: Promise<ExitInfo>;
}

/** How the agent exited, as far as the transport knows. */
export interface ExitInfo {
  readonly code?: number | null;
  readonly signal?: string | null;
  /** The end of its stderr output. */
  readonly stderr?: string;
  /** The reason when there is neither code nor signal, such as "the socket was closed". */
  readonly reason?: string;
  /** The close code of a WebSocket. */
  readonly closeCode?: number | undefined;
}
