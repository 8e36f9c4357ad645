// Table of contents: what a host takes to talk to an agent. Pulls in no agent code and, until an agent is spawned, nothing of Node.
export type { CallArguments, CallMethods, CallParams, CallResult, CommandName } from './call.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { AskHandler, Display, Question } from './dialogs.ts';
export { AgentGone, RpcError } from './failures.ts';
export type { Greeting } from './frames.ts';
export type { Listener } from './listeners.ts';
export { RpcClient, type RpcClientOptions } from './rpc-client.ts';
export type { PromptOptions, WaitOptions } from './settling.ts';
export { type SpawnedAgent, type SpawnOptions, spawnAgent } from './spawn.ts';
export type { ClientTransport, Farewell } from './transport.ts';
