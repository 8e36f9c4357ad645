// First floor, commands: what a session has switched on: features and tools.
import { array, boolean, nullable, object, optional, partial, string, unknown } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command, type Features } from '../../contracts/index.ts';

export const features = object({ subAgents: boolean(), skills: boolean(), debug: boolean(), mcp: boolean() });

const config = object({
  features,
  tools: object({ all: array(string()), enabled: array(string()), disabled: array(string()) }),
  /** There are no nodes to be one of. */
  distribution: nullable(unknown()),
});

export const getConfig = command({
  name: 'get_config',
  stability: 'experimental',
  doc: 'Which features and tools this session has switched on.',
  lane: 'now',
  long: true,
  params: object({}),
  result: config,
  run: (_, { session, desk }) => configOf(session, desk.features(session)),
});

export const setConfig = command({
  name: 'set_config',
  stability: 'experimental',
  doc: 'Switch features on and off, and say which tools the model is offered: all of them are named. Holds from the next request on. What is not mentioned stays.',
  lane: 'ordered',
  params: object({
    features: optional(partial(features)),
    tools: optional(array(string())),
    distribution: optional(nullable(unknown())),
  }),
  result: config,
  async run({ features: wanted = {}, tools }, { session, desk }) {
    if (tools) await chooseTools(session, tools);
    const current = desk.features(session);
    Object.assign(current, wanted);
    session.context.renew();
    return configOf(session, current);
  },
});

async function chooseTools({ tools }: AgentSession, names: readonly string[]): Promise<void> {
  const known = new Set((await tools.all()).map(({ name }) => name));
  const odd = names.filter((name) => !known.has(name));
  if (odd.length > 0) {
    const data = `unknown tools: ${odd.join(', ')}`;
    throw new Fault('invalid_params', 'Unknown tools in tools list', { details: { data } });
  }
  tools.choose(names);
}

async function configOf({ tools }: AgentSession, { subAgents, skills, debug, mcp }: Features) {
  const [all, active] = await Promise.all([tools.all(), tools.active()]);
  const enabled = active.map(({ name }) => name);
  const names = all.map(({ name }) => name);
  return {
    features: { subAgents, skills, debug, mcp },
    tools: { all: names, enabled, disabled: names.filter((name) => !enabled.includes(name)) },
    distribution: null,
  };
}
