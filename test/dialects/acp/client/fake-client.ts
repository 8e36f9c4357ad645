// A client in memory: collects the frames of a ClientConnection, checks each against the schema, and responds on request.
import type { AgentSession, DecodedLine, Frame } from '../../../../src/contracts/index.ts';
import { ClientConnection } from '../../../../src/dialects/acp/client/index.ts';
import { type ClientCapabilities, parseClientCapabilities } from '../../../../src/dialects/acp/client-capabilities.ts';
import type { UiRequest } from '../../../../src/protocol/index.ts';
import { validate } from '../schema-validator.ts';

export interface ReceivedMessage {
  readonly id?: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const DEFINITIONS: Readonly<Record<string, string>> = {
  'session/request_permission': 'RequestPermissionRequest',
  'elicitation/create': 'CreateElicitationRequest',
  'fs/read_text_file': 'ReadTextFileRequest',
  'fs/write_text_file': 'WriteTextFileRequest',
  'terminal/create': 'CreateTerminalRequest',
  'terminal/output': 'TerminalOutputRequest',
  'terminal/wait_for_exit': 'WaitForTerminalExitRequest',
  'terminal/kill': 'KillTerminalRequest',
  'terminal/release': 'ReleaseTerminalRequest',
  'session/update': 'SessionNotification',
  '$/cancel_request': 'CancelRequestNotification',
};

export const session = { id: 'session-1' } as AgentSession;

export const noCapabilities = parseClientCapabilities({});

export class FakeClient {
  readonly received: ReceivedMessage[] = [];
  readonly terminals: string[] = [];
  readonly connection: ClientConnection;
  readonly services;

  constructor(capabilities: Partial<ClientCapabilities> = {}) {
    this.connection = new ClientConnection({
      getCapabilities: () => ({ ...noCapabilities, ...capabilities }),
      onTerminal: ({ id }, toolCallId, terminalId) => this.terminals.push(`${id} ${toolCallId} ${terminalId}`),
    });
    this.services = this.connection.createHostServices(session, (frame) => this.receive(frame));
  }

  receive(frame: Frame): void {
    const message = JSON.parse(frame.chunks.join('')) as ReceivedMessage;
    const definition = DEFINITIONS[message.method];
    if (definition === undefined) throw new Error(`Unexpected method: ${message.method}`);
    validate(definition, message.params);
    this.received.push(message);
    if (frame.followedBy) this.receive(frame.followedBy);
  }

  /** Returns false when the connection could not encode the request. */
  ask(request: UiRequest): boolean {
    const frame = this.connection.encodeUiRequest(request, session);
    if (frame) this.receive(frame);
    return frame !== undefined;
  }

  /** The newest request with this method. */
  find(method: string): ReceivedMessage & { id: number } {
    const message = this.received.findLast((candidate) => candidate.method === method);
    if (message?.id === undefined) throw new Error(`The client has not received ${method}`);
    return { ...message, id: message.id };
  }

  get last(): ReceivedMessage {
    const message = this.received.at(-1);
    if (!message) throw new Error('The client has received nothing');
    return message;
  }

  get methods(): string[] {
    return this.received.map(({ method }) => method);
  }

  respond(method: string, result: unknown): DecodedLine {
    return this.connection.receiveResponse({ id: this.find(method).id, result });
  }

  refuse(method: string, message = 'no'): DecodedLine {
    const error = { code: -32603, message };
    return this.connection.receiveResponse({ id: this.find(method).id, result: undefined, error });
  }
}

/** Lets all pending promise callbacks run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}
