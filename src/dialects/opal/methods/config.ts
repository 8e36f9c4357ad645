// opal/*: features and tools of a session, ping and version.
import { array, boolean, literal, nullable, object, optional, partial, string, unknown } from 'valibot';
import type { SessionFeatures } from '../../../contracts/index.ts';
import { type OpalMethod, processMethod, sessionMethod } from '../method.ts';
import { checkConfigParams } from './param-checks.ts';

export const PROTOCOL_VERSION = '0.1.0';

const featureFlags = { sub_agents: boolean(), skills: boolean(), mcp: boolean() };

/** The features that hosts may send. `debug` is accepted and has no effect. */
export const requestedFeatures = partial(object({ ...featureFlags, debug: boolean() }));

/** The features in effect. `mcp` is false when there are no MCP servers. */
export const featureReport = object({ ...featureFlags, debug: literal(false) });

export function buildFeatureReport({ subAgents, skills, mcp }: SessionFeatures, mcpServers: readonly string[]) {
  return { sub_agents: subAgents, skills, debug: false, mcp: mcp && mcpServers.length > 0 };
}

const configReport = object({
  features: featureReport,
  tools: object({ all: array(string()), enabled: array(string()), disabled: array(string()) }),
  /** Always null: distributed nodes are not supported. */
  distribution: nullable(unknown()),
});

interface SessionConfig {
  features: SessionFeatures;
  tools: { all: readonly string[]; enabled: readonly string[] };
  mcpServers: readonly string[];
}

function buildConfigReport({ features, tools: { all, enabled }, mcpServers }: SessionConfig) {
  return {
    features: buildFeatureReport(features, mcpServers),
    tools: { all, enabled, disabled: all.filter((name) => !enabled.includes(name)) },
    distribution: null,
  };
}

export const configMethods: Record<string, OpalMethod> = {
  'opal/config/get': sessionMethod({ command: 'get_config', result: configReport, toResult: buildConfigReport }),
  'opal/config/set': sessionMethod({
    command: 'set_config',
    doc: 'Enable or disable `sub_agents`, `skills` and `mcp`, and set the complete list of tools offered to the model. Applies from the next request on. Omitted values are not changed. `debug` is accepted but not supported and stays false. `distribution` stays null.',
    params: {
      features: optional(requestedFeatures),
      tools: optional(array(string())),
      distribution: optional(nullable(unknown())),
    },
    result: configReport,
    checkParams: checkConfigParams,
    toParams: ({ features, tools }) => ({
      features: features && { subAgents: features.sub_agents, skills: features.skills, mcp: features.mcp },
      tools,
    }),
    toResult: buildConfigReport,
  }),
  'opal/ping': processMethod({ command: 'ping' }),
  'opal/version': processMethod({
    command: 'ping',
    result: object({ server_version: string(), protocol_version: literal(PROTOCOL_VERSION) }),
    toResult: (_: undefined, { version }) => ({ server_version: version, protocol_version: PROTOCOL_VERSION }),
  }),
};
