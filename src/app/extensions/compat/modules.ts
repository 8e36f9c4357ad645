// The hall: the names that extensions written for pi and its relatives import, and what they find here instead.
import type { Models, Ports } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import type { SettingValues } from '../../settings-table.ts';
import { aiModule, signingIn } from './ai.ts';
import { codingAgent } from './coding-agent.ts';
import { refusals } from './refused.ts';
import { terminal } from './terminal.ts';
import { StringEnum, Type } from './typebox.ts';
import { Compile, Value } from './value.ts';

const FAMILY = ['@mariozechner', '@earendil-works', '@oh-my-pi'];

export interface CompatibleSurroundings {
  agentDirectory: string;
  ports: Ports;
  models: Models;
  /** Every model that is known without asking anyone. */
  known: readonly Model[];
  settings: SettingValues;
}

export function compatibleModules(surroundings: CompatibleSurroundings): Record<string, unknown> {
  const typebox = { Type, StringEnum };
  const value = { Value };
  const compile = { Compile, TypeCompiler: { Compile } };
  const agent = codingAgent(surroundings);
  const ai = { ...signingIn, ...aiModule(surroundings) };
  const surfaces: Record<string, unknown> = { 'parley-agent': agent };
  for (const name of ['typebox', '@sinclair/typebox']) {
    surfaces[name] = typebox;
    surfaces[`${name}/value`] = value;
    surfaces[`${name}/compiler`] = compile;
    surfaces[`${name}/compile`] = compile;
  }
  for (const name of FAMILY) {
    surfaces[`${name}/pi-coding-agent`] = agent;
    surfaces[`${name}/pi-ai`] = ai;
    surfaces[`${name}/pi-ai/compat`] = ai;
    surfaces[`${name}/pi-ai/oauth`] = signingIn;
    surfaces[`${name}/pi-agent-core`] = agentCore;
    surfaces[`${name}/pi-tui`] = terminal;
  }
  return surfaces;
}

/** A loop of one's own beside the session's. */
const agentCore = refusals('pi-agent-core', {
  'Use pi.sendMessage and pi.sendUserMessage, ask a model with complete() of pi-ai, or leave work to the task tool.': [
    'Agent',
    'agentLoop',
    'agentLoopContinue',
    'runAgentLoop',
    'runAgentLoopContinue',
    'streamProxy',
    'ProxyMessageEventStream',
    'ProviderTransport',
    'AppTransport',
  ],
});
