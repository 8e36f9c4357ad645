// Commands for the enabled features and tools of a session.
import { array, boolean, object, optional, partial, strictObject, string } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command, type SessionFeatures } from '../../contracts/index.ts';

/** The features of a session that can be switched on and off. */
export const features = object({ subAgents: boolean(), skills: boolean(), mcp: boolean() });
/** A misspelt feature is refused: it would stay enabled. */
export const requestedFeatures = partial(strictObject(features.entries));

const config = object({
  features,
  /** The names of all tools, and of those that are offered to the model. */
  tools: object({ all: array(string()), enabled: array(string()) }),
  /** The names of the MCP servers. */
  mcpServers: array(string()),
});

export const getConfig = command({
  name: 'get_config',
  stability: 'experimental',
  doc: 'The enabled features and tools of this session.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: config,
  run: (_, { session, pool }) => buildConfig(session, pool.getFeatures(session)),
});

export const setConfig = command({
  name: 'set_config',
  stability: 'experimental',
  doc: 'Enable or disable features, and set the complete list of tools offered to the model. Applies from the next request on. Omitted values are not changed.',
  lane: 'ordered',
  params: object({ features: optional(requestedFeatures), tools: optional(array(string())) }),
  result: config,
  async run({ features: { subAgents, skills, mcp } = {}, tools }, { session, pool }) {
    if (tools) await selectTools(session, tools);
    const current = pool.getFeatures(session);
    current.subAgents = subAgents ?? current.subAgents;
    current.skills = skills ?? current.skills;
    current.mcp = mcp ?? current.mcp;
    session.context.invalidate();
    return buildConfig(session, current);
  },
});

async function selectTools(session: AgentSession, names: readonly string[]): Promise<void> {
  const { tools } = session;
  await session.listMcpServers({ untilReady: true });
  const known = new Set((await tools.listAll()).map(({ name }) => name));
  const unknownTools = names.filter((name) => !known.has(name));
  if (unknownTools.length > 0) {
    const message = `Unknown tools: ${unknownTools.join(', ')}. Known tools: ${[...known].join(', ')}`;
    throw new Fault('invalid_params', message, { details: { unknownTools } });
  }
  tools.select(names);
}

async function buildConfig(session: AgentSession, current: SessionFeatures) {
  const { tools } = session;
  const servers = await session.listMcpServers({ untilReady: true });
  const [all, active] = await Promise.all([tools.listAll(), tools.listActive()]);
  const names = { all: all.map(({ name }) => name), enabled: active.map(({ name }) => name) };
  return { features: { ...current }, tools: names, mcpServers: servers.map(({ name }) => name) };
}
