// Commands for the enabled features and tools of a session.
import { array, boolean, literal, nullable, object, optional, partial, string, unknown } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command, type SessionFeatures } from '../../contracts/index.ts';

const featureFlags = { subAgents: boolean(), skills: boolean() };

/** The features that hosts may send. `debug` and `mcp` are accepted and have no effect. */
export const requestedFeatures = partial(object({ ...featureFlags, debug: boolean(), mcp: boolean() }));

/** The features in effect. */
export const featureReport = object({ ...featureFlags, debug: literal(false), mcp: literal(false) });

export function buildFeatureReport({ subAgents, skills }: SessionFeatures) {
  return { subAgents, skills, debug: false as const, mcp: false as const };
}

const configSchema = object({
  features: featureReport,
  tools: object({ all: array(string()), enabled: array(string()), disabled: array(string()) }),
  /** Always null: distributed nodes are not supported. */
  distribution: nullable(unknown()),
});

export const getConfig = command({
  name: 'get_config',
  stability: 'experimental',
  doc: 'The enabled features and tools of this session.',
  lane: 'now',
  long: true,
  params: object({}),
  result: configSchema,
  run: (_, { session, pool }) => buildConfig(session, pool.getFeatures(session)),
});

export const setConfig = command({
  name: 'set_config',
  stability: 'experimental',
  doc: 'Enable or disable `sub_agents` and `skills`, and set the complete list of tools offered to the model. Applies from the next request on. Omitted values are not changed. `debug` and `mcp` are accepted but not supported and stay false. `distribution` stays null.',
  lane: 'ordered',
  params: object({
    features: optional(requestedFeatures),
    tools: optional(array(string())),
    distribution: optional(nullable(unknown())),
  }),
  result: configSchema,
  async run({ features: { subAgents, skills } = {}, tools }, { session, pool }) {
    if (tools) await selectTools(session, tools);
    const current = pool.getFeatures(session);
    current.subAgents = subAgents ?? current.subAgents;
    current.skills = skills ?? current.skills;
    session.context.invalidate();
    return buildConfig(session, current);
  },
});

async function selectTools({ tools }: AgentSession, names: readonly string[]): Promise<void> {
  const known = new Set((await tools.listAll()).map(({ name }) => name));
  const unknownNames = names.filter((name) => !known.has(name));
  if (unknownNames.length > 0) {
    const data = `unknown tools: ${unknownNames.join(', ')}`;
    throw new Fault('invalid_params', 'Unknown tools in tools list', { details: { data } });
  }
  tools.select(names);
}

async function buildConfig({ tools }: AgentSession, current: SessionFeatures) {
  const [all, active] = await Promise.all([tools.listAll(), tools.listActive()]);
  const enabled = active.map(({ name }) => name);
  const names = all.map(({ name }) => name);
  return {
    features: buildFeatureReport(current),
    tools: { all: names, enabled, disabled: names.filter((name) => !enabled.includes(name)) },
    distribution: null,
  };
}
