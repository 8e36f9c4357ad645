// What the HTTP server needs beside the sessions of a tenant: files, metrics, the state of the server, and the sessions for each caller.
import { startSession } from '../../../commands/multi-session/sessions.ts';
import type { Clock } from '../../../contracts/index.ts';
import type { Caller, HttpBackend, SessionBackend } from '../../../http/index.ts';
import { version } from '../../../support/version.ts';
import type { Metrics } from '../../../telemetry/index.ts';
import { readOpenApiText } from '../schema.ts';
import type { ClientRegistry } from './client-registry.ts';
import { toConnectionEnd } from './connection-end.ts';
import type { PageFiles } from './page-files.ts';

export interface ServerHttpBackendOptions {
  readonly clients: ClientRegistry;
  readonly metrics: Metrics;
  readonly pageFiles: PageFiles;
  readonly files: Parameters<typeof readOpenApiText>[0];
  readonly clock: Clock;
  /** Absent without a database. */
  readonly nodeId?: string | undefined;
  getSessions(tenant: string | undefined): Promise<SessionBackend>;
}

export class ServerHttpBackend implements HttpBackend {
  readonly sessionFields = Object.keys(startSession.params.entries);
  readonly clients: ClientRegistry;
  readonly #options: ServerHttpBackendOptions;
  readonly #startedMs: number;

  constructor(options: ServerHttpBackendOptions) {
    this.#options = options;
    this.clients = options.clients;
    this.#startedMs = options.clock.now();
  }

  async getSessions({ tenant }: Caller): Promise<SessionBackend> {
    const sessions = await this.#options.getSessions(tenant);
    return {
      call: (call) => sessions.call(call),
      serveConnection: (connection) => this.clients.serve(connection, () => sessions.serveConnection(connection)),
      describeSession: (id) => sessions.describeSession(id),
      listActivities: (ids) => sessions.listActivities(ids),
      listDialogs: (sessionId) => sessions.listDialogs(sessionId),
      answerDialog: (...request) => sessions.answerDialog(...request),
      exportSession: (...request) => sessions.exportSession(...request),
    };
  }

  readPageFile(path: string) {
    return this.#options.pageFiles.read(path);
  }

  readOpenApi(): Promise<string> {
    return readOpenApiText(this.#options.files);
  }

  async renderMetrics(): Promise<string> {
    return this.#options.metrics.render();
  }

  getHealth() {
    const { clock, nodeId } = this.#options;
    const uptimeSeconds = Math.round((clock.now() - this.#startedMs) / 1000);
    const node = nodeId === undefined ? {} : { node: nodeId, relayedClients: this.clients.relayedCount };
    return { status: 'ok', version: version(), uptimeSeconds, ...node };
  }

  close(): void {
    this.clients.close(toConnectionEnd('server_ends', 'The server ends. Connect again later.'));
  }
}
