// Maps the module names that extensions for pi and oh-my-pi import to the modules that replace them.
import type { ModelRegistry, Ports, ProcessIdentity } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { createAiModule, oauthModule } from './ai-module.ts';
import { createCodingAgentModule } from './coding-agent-module.ts';
import { tuiModule } from './tui-module.ts';
import type { TypeboxModules } from './typebox.ts';
import { createUnsupportedExports } from './unsupported-exports.ts';

const PACKAGE_SCOPES = ['@mariozechner', '@earendil-works', '@oh-my-pi'];

export interface CompatibleModulesOptions {
  agentDirectory: string;
  ports: Ports;
  models: ModelRegistry;
  /** The models of the built-in catalogue. */
  catalogueModels: readonly Model[];
  settings: SettingValues;
  identity: ProcessIdentity;
  readTextSync(path: string): string;
  /** Absent when no extension uses TypeBox. */
  typebox: TypeboxModules | undefined;
}

export function createCompatibleModules(options: CompatibleModulesOptions): Record<string, unknown> {
  const agent = createCodingAgentModule(options);
  const ai = { ...oauthModule, ...createAiModule(options) };
  const modules: Record<string, unknown> = { 'parley-agent': agent, ...options.typebox?.byName };
  for (const name of PACKAGE_SCOPES) {
    modules[`${name}/pi-coding-agent`] = agent;
    modules[`${name}/pi-ai`] = ai;
    modules[`${name}/pi-ai/compat`] = ai;
    modules[`${name}/pi-ai/oauth`] = oauthModule;
    modules[`${name}/pi-agent-core`] = agentCoreModule;
    modules[`${name}/pi-tui`] = tuiModule;
  }
  return modules;
}

/** Extensions cannot run a second agent loop beside the session. */
const agentCoreModule = createUnsupportedExports('pi-agent-core', {
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
