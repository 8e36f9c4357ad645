// The stdio transport of MCP: a child process with one JSON-RPC message per line on stdin and stdout.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Line, LineSplitter } from '../base/index.ts';
import type { McpStdioServer, Ports, RunningProcess } from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { MessageFilter } from './message-filter.ts';
import { StderrTail } from './stderr-tail.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Messages that the server has not read yet. A server that never reads must not fill the memory. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** How many lines are handled before other tasks of the event loop may run. */
const LINES_PER_BATCH = 64;
/** How long a server may take to end after its stdin was closed. */
const EXIT_GRACE_MS = 500;
const KILL_WAIT_MS = 1000;

/** Besides the variables of its definition, a server gets only these. */
const INHERITED = /^(PATH|HOME|LANG|LANGUAGE|LC_\w+)$/;

export interface StdioTransportOptions {
  readonly name: string;
  readonly server: McpStdioServer;
  readonly cwd: string;
  readonly ports: Ports;
}

export class StdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport['onmessage'];
  /** The SDK recognizes a stdio transport by the properties `pid` and `stderr`. */
  readonly stderr = null;

  readonly #options: StdioTransportOptions;
  readonly #splitter = new LineSplitter(MAX_LINE_BYTES);
  readonly #filter: MessageFilter;
  readonly #stderr = new StderrTail();
  #child: RunningProcess | undefined;
  #pendingBytes = 0;
  #linesInBatch = 0;
  #ignoredLines = 0;
  #reason: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#filter = new MessageFilter(options.ports.clock);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Why the connection ended, with the end of stderr. `undefined` when it was closed on purpose or is still open. */
  get problem(): string | undefined {
    if (this.#reason === undefined) return undefined;
    return this.#stderr.text ? `${this.#reason}. Its stderr ends with:\n${this.#stderr.text}` : this.#reason;
  }

  async start(): Promise<void> {
    const { server, cwd, ports } = this.#options;
    const inherited = Object.entries(ports.toolEnv).filter(([name]) => INHERITED.test(name));
    const child = await ports.processes.spawn({
      command: server.command,
      args: server.args,
      cwd: server.cwd ?? cwd,
      env: { ...Object.fromEntries(inherited), ...server.env },
      shouldKeepKeys: true,
      stdin: 'pipe',
      onOutput: (chunk, stream) => (stream === 'stdout' ? this.#read(chunk) : this.#stderr.append(chunk)),
    });
    this.#child = child;
    // close() was called while the child was starting.
    if (this.#closing) child.kill();
    void child.finished.then(({ code, signal }) => {
      this.#fail(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    const input = child?.input;
    if (!child || !input || this.#closing) throw new Error('The server is not running');
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_PENDING_BYTES) this.#fail('it does not read its input');
    try {
      await input.write(bytes);
    } catch (thrown) {
      // The pipe of a server that has exited can fail before the exit is known. The exit code and stderr say more.
      await waitAtMost(this.#options.ports.clock, EXIT_GRACE_MS, child.finished);
      throw thrown;
    } finally {
      this.#pendingBytes -= bytes.length;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#logIgnoredLines();
    if (child) {
      const { clock } = this.#options.ports;
      child.input?.end();
      await waitAtMost(clock, EXIT_GRACE_MS, child.finished);
      // Also after the exit of the server itself: it may be a wrapper whose own children are still running.
      child.kill();
      await waitAtMost(clock, KILL_WAIT_MS, child.finished);
    }
    this.onclose?.();
  }

  #fail(reason: string): void {
    if (this.#closing) return;
    this.#reason = reason;
    this.#closing = Promise.resolve();
    this.#child?.kill();
    this.#logIgnoredLines();
    this.onclose?.();
  }

  /** While the promise is pending, the pipe is not read: a server that writes without end is slowed down. */
  #read(chunk: Uint8Array): void | Promise<void> {
    const lines = this.#splitter.push(chunk);
    return lines.length === 0 ? undefined : this.#handleLines(lines);
  }

  async #handleLines(lines: readonly Line[]): Promise<void> {
    for (const line of lines) {
      if (this.#closing) return;
      this.#handleLine(line);
      this.#linesInBatch += 1;
      if (this.#linesInBatch === LINES_PER_BATCH) {
        this.#linesInBatch = 0;
        await this.#options.ports.clock.yieldToEventLoop();
      }
      // The SDK handles notifications in a microtask, and forgets a call with its response: progress would be lost.
      else await undefined;
    }
  }

  #handleLine(line: Line): void {
    if ('problem' in line) {
      if (line.problem.includes('limit')) this.#fail(`it sent a line of more than ${MAX_LINE_BYTES / 1024 ** 2} MiB`);
      else this.#ignoredLines += 1;
      return;
    }
    try {
      const value: unknown = JSON.parse(line.text);
      // Protocol version 2025-03-26 has batches.
      for (const message of Array.isArray(value) ? value : [value]) {
        if (this.#filter.accepts(message)) this.onmessage?.(message as JSONRPCMessage);
        else this.#ignoredLines += 1;
      }
    } catch {
      // Not JSON, or so deeply nested that the client cannot check it.
      this.#ignoredLines += 1;
    }
  }

  #logIgnoredLines(): void {
    const { name, ports } = this.#options;
    if (this.#ignoredLines > 0) ports.log('mcp_ignored_messages', { server: name, count: this.#ignoredLines });
  }
}
