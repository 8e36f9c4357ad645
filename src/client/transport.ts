// The hall, client: how lines reach an agent and come back. Given from outside, so that the client runs wherever JavaScript does.

export interface ClientTransport {
  /** Lines as they come, without their newline, taken only as fast as they are read. Ends when the agent is gone. */
  readonly lines: AsyncIterable<string>;
  /** Sends one whole line, newline included. What is sent to an agent that is gone is dropped without a word. */
  write(line: string): void;
  /** Nothing more will be written; the agent finishes its work and goes. */
  end(): void;
  /** Resolves when the agent is gone, at the latest when `lines` have ended. Never rejects. */
  readonly closed: Promise<Farewell>;
}

/** How an agent left, as far as the transport knows. */
export interface Farewell {
  readonly code?: number | null;
  readonly signal?: string | null;
  /** The end of what it wrote to stderr. */
  readonly stderr?: string;
  /** Why, where there is neither code nor signal: "the socket was closed". */
  readonly reason?: string;
}
