// First floor, commands: what a session has switched on: features and tools.
import { array, boolean, literal, nullable, object, optional, partial, string, unknown } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command, type Features } from '../../contracts/index.ts';

const switches = { subAgents: boolean(), skills: boolean() };

/** What hosts of this family may say. There is nothing here that `debug` and `mcp` would switch. */
export const wantedFeatures = partial(object({ ...switches, debug: boolean(), mcp: boolean() }));

/** What holds. */
export const features = object({ ...switches, debug: literal(false), mcp: literal(false) });

export function featuresOf({ subAgents, skills }: Features) {
  return { subAgents, skills, debug: false as const, mcp: false as const };
}

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
  doc: 'Switch `sub_agents` and `skills` on and off, and say which tools the model is offered: all of them are named. Holds from the next request on. What is not mentioned stays. `debug` and `mcp` are understood and stay false: there is nothing here that they would switch. `distribution` stays null.',
  lane: 'ordered',
  params: object({
    features: optional(wantedFeatures),
    tools: optional(array(string())),
    distribution: optional(nullable(unknown())),
  }),
  result: config,
  async run({ features: { subAgents, skills } = {}, tools }, { session, desk }) {
    if (tools) await chooseTools(session, tools);
    const current = desk.features(session);
    current.subAgents = subAgents ?? current.subAgents;
    current.skills = skills ?? current.skills;
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

async function configOf({ tools }: AgentSession, current: Features) {
  const [all, active] = await Promise.all([tools.all(), tools.active()]);
  const enabled = active.map(({ name }) => name);
  const names = all.map(({ name }) => name);
  return {
    features: featuresOf(current),
    tools: { all: names, enabled, disabled: names.filter((name) => !enabled.includes(name)) },
    distribution: null,
  };
}
