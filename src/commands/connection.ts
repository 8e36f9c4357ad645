// Commands for the connection with the host: protocol version, schema and shutdown.
import { literal, number, object, optional, picklist, record, string, unknown } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';

const LATEST_PROTOCOL = 2 as const;

export const negotiateProtocol = command({
  name: 'negotiate_protocol',
  stability: 'experimental',
  doc: 'Use version 2 of the protocol from the next frame on: a frame of more than `maxFrameBytes` (see `ready`) is sent as several `rpc_chunk` frames. `data` of the chunks is base64; decoded and joined they are the JSON of the frame.',
  lane: 'ordered',
  access: 'read',
  params: object({ protocolVersion: number() }),
  result: object({ protocolVersion: literal(LATEST_PROTOCOL) }),
  examples: [{ protocolVersion: LATEST_PROTOCOL }],
  async run({ protocolVersion }, { host }) {
    if (protocolVersion !== LATEST_PROTOCOL)
      throw new Fault('invalid_params', `Unsupported RPC protocol version: ${protocolVersion}`);
    await host.enableChunks();
    return { protocolVersion };
  },
});

export const getSchema = command({
  name: 'get_schema',
  stability: 'experimental',
  doc: 'The JSON Schema of all frames of the dialect in use: `HostFrame` describes what a host sends, `AgentFrame` what it receives.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({ dialect: string(), schema: record(string(), unknown()) }),
  run: (_, { host }) => host.readSchema(),
});

export const shutdown = command({
  name: 'shutdown',
  stability: 'experimental',
  doc: 'End the program with exit code 0 after all frames are sent. `finish` completes the current run and its queued messages first; `abort` stops the run. Answered before the work is done.',
  lane: 'ordered',
  params: object({ mode: optional(picklist(['finish', 'abort']), 'finish') }),
  examples: [{ mode: 'finish' }],
  async run({ mode }, { requestExit }) {
    requestExit(mode);
  },
});
