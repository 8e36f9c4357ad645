// The acp dialect: the Agent Client Protocol, by which editors drive agents.
import type { Dialect } from '../../contracts/index.ts';
import { createAcpCodec } from './codec.ts';
import { ACP_METHODS } from './methods/index.ts';
import { acpEvents } from './updates/index.ts';

export const acp: Dialect = {
  name: 'acp',
  doc: 'The Agent Client Protocol, version 1: JSON-RPC 2.0 with many sessions in one process, for editors.',
  isMultiSession: true,
  methods: new Map(
    [...ACP_METHODS].flatMap(([name, { command }]) => (typeof command === 'string' ? [[name, command]] : [])),
  ),
  acceptsAllCommands: false,
  events: [...acpEvents, 'queue_update', 'thinking_level_changed'],
  // The user of an editor sees permission requests and has no time limit for them. Without the editor the work is not wanted.
  defaultSettings: { approval: 'on-write', approvalTimeout: 0, 'todo.enabled': true, 'rpc.onEof': 'abort' },
  publishedSchema: 'schema/v1/schema.json of the npm package @agentclientprotocol/sdk',
  createCodec: createAcpCodec,
};
