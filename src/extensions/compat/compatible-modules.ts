// Maps the module names that extensions for pi and oh-my-pi import to the modules that replace them.
import type { ModelRegistry, Ports, ProcessIdentity, SessionIndex } from '../../contracts/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { createAgentCoreModule } from './agent-class.ts';
import type { StreamFunction } from './agent-loop.ts';
import { createAiModule, UNSUPPORTED_BY_AI } from './ai-module.ts';
import { createCodingAgentModule, UNSUPPORTED_BY_AGENT } from './coding-agent-module.ts';
import type { InnerSessionOptions } from './inner-session.ts';
import type { ResourceLoaderOptions } from './resource-loader.ts';
import { tuiModule } from './tui-module.ts';
import type { TypeboxModules } from './typebox.ts';
import { provideExports } from './unsupported-exports.ts';

const PACKAGE_SCOPES = ['@mariozechner', '@earendil-works', '@oh-my-pi'];

export interface CompatibleModulesOptions extends ResourceLoaderOptions, InnerSessionOptions {
  ports: Ports;
  models: ModelRegistry;
  /** The models of the built-in catalogue. */
  catalogueModels: readonly Model[];
  settings: SettingValues;
  identity: ProcessIdentity;
  sessionIndex?: SessionIndex | undefined;
  readTextSync(path: string): string;
  /** Absent when no extension uses TypeBox. */
  typebox: TypeboxModules | undefined;
}

export function createCompatibleModules(options: CompatibleModulesOptions): Record<string, unknown> {
  const agent = provideExports('pi-coding-agent', createCodingAgentModule(options), UNSUPPORTED_BY_AGENT);
  const aiExports = createAiModule(options);
  const oauth = provideExports('pi-ai/oauth', {}, UNSUPPORTED_BY_AI);
  const ai = provideExports('pi-ai', aiExports, UNSUPPORTED_BY_AI);
  const streamSimple = aiExports.streamSimple as StreamFunction;
  const agentCore = provideExports('pi-agent-core', createAgentCoreModule({ ports: options.ports, streamSimple }), {});
  const tui = provideExports('pi-tui', tuiModule, {});
  const modules: Record<string, unknown> = { 'parley-agent': agent, ...options.typebox?.byName };
  for (const name of PACKAGE_SCOPES) {
    modules[`${name}/pi-coding-agent`] = agent;
    modules[`${name}/pi-ai`] = ai;
    modules[`${name}/pi-ai/compat`] = ai;
    modules[`${name}/pi-ai/oauth`] = oauth;
    modules[`${name}/pi-agent-core`] = agentCore;
    modules[`${name}/pi-tui`] = tui;
  }
  return modules;
}
