// Public API of the client. Loads no agent code, and no Node module before an agent is spawned or a socket is opened.
export type { CallArguments, CallMethods, CallParams, CallResult, CommandName } from './call-types.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { ClientEvent, EventOrigin } from './client-event.ts';
export type { ClientTransport, ExitInfo } from './client-transport.ts';
export { type ConnectedAgent, type ConnectionState, type ConnectOptions, connectAgent } from './connect-agent.ts';
export type { DialogHandler, DialogRequest, DisplayRequest } from './dialog-dispatcher.ts';
export { AgentExitedError, ConnectionError, ConnectionLostError, RpcError } from './errors.ts';
export type { Listener } from './listeners.ts';
export type { PromptResult, ReadyInfo } from './parse-frame.ts';
export type { PromptOptions, WaitOptions } from './prompt-and-wait.ts';
export type { ReconnectAttempt, ReconnectOptions } from './reconnecting-transport.ts';
export { RpcClient, type RpcClientOptions } from './rpc-client.ts';
export type { ConnectParams } from './socket/agent-address.ts';
export type { WebSocketConstructor, WebSocketLike } from './socket/global-web-socket.ts';
export { type SpawnedAgent, type SpawnOptions, spawnAgent } from './spawn-agent.ts';
