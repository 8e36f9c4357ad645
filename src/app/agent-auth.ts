// Creates the sign-ins of an agent. Loaded on first use.
import type { ProviderAuth } from '../contracts/index.ts';
import { type AuthFile, createAuthFile } from '../llm/credentials/auth-file.ts';
import { createProviderAuth } from '../llm/credentials/provider-auth.ts';
import type { Credentials } from '../llm/index.ts';
import { type AgentModelsOptions, createAgentModels } from './agent-models.ts';
import { openCallbackServer } from './system-ports/callback-server.ts';

export function createAgentAuth(
  options: AgentModelsOptions,
  credentials: Credentials = createAgentModels(options).credentials,
): ProviderAuth {
  const { ports, env = process.env } = options;
  const { fetch, clock, ids } = ports;
  const authFile = openAuthFile(options);
  return createProviderAuth(credentials, { fetch, clock, ids, env, authFile, openCallbackServer });
}

/** Without warnings: the agent reports the problems of the file. */
export function openAuthFile({
  ports,
  agentDirectory,
}: Pick<AgentModelsOptions, 'ports' | 'agentDirectory'>): AuthFile {
  const { files, clock, ids, platform } = ports;
  return createAuthFile({ files, clock, ids, directory: agentDirectory, platform, warn: () => {} });
}
