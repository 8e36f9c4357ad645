// Checks that stable names are not removed, and that a new name is stable only if it is added to these lists.
import { expect, test } from 'vitest';
import { allCommands } from '../scripts/pages/frames.ts';
import { opalMethods } from '../scripts/pages/frames-opal.ts';
import { generate } from '../scripts/pages/index.ts';
import { events } from '../src/protocol/index.ts';

/** An explicit list, so that a removal is noticed. Names may be added; removing one breaks hosts. */
const STABLE_COMMANDS = `prompt steer follow_up abort abort_and_prompt new_session get_state get_commands get_messages
  get_last_assistant_text switch_session branch clone get_branch_messages get_entries get_tree export_html set_model cycle_model
  get_available_models set_thinking_level cycle_thinking_level get_available_thinking_levels set_steering_mode
  set_follow_up_mode set_interrupt_mode clear_queue compact set_auto_compaction set_auto_retry abort_retry bash abort_bash
  get_session_stats set_session_name`;

const STABLE_EVENTS = `agent_start agent_end agent_settled turn_start turn_end message_start message_update message_end
  tool_execution_start tool_execution_update tool_execution_end auto_compaction_start auto_compaction_end compaction_start
  compaction_end auto_retry_start auto_retry_end queue_update session_info_changed thinking_level_changed bash_execution_update
  subagent_start subagent_end subagent_verification_start subagent_verification_command_start
  subagent_verification_command_end subagent_verification_end budget_warning budget_exceeded ttsr_triggered todo_reminder
  extension_error`;

const STABLE_METHODS = `session/start session/list session/branch session/compact agent/prompt agent/steer agent/abort agent/state
  models/list model/set thinking/set tasks/list settings/get settings/save auth/status auth/set_key auth/login auth/poll`;

const sorted = (names: readonly string[]) => [...names].sort();
const generated = await generate(new URL('..', import.meta.url).pathname);

test.each([
  ['commands', STABLE_COMMANDS, allCommands],
  ['events', STABLE_EVENTS, events.map(({ type: name, stability }) => ({ name, stability }))],
  ['methods of opal', STABLE_METHODS, opalMethods],
])('the stable %s are those in the list', (_, expected, declared) => {
  const stable = declared.filter(({ stability }) => stability !== 'experimental').map(({ name }) => name);
  expect(sorted(stable), 'mark new names `experimental`, or add them to the list').toEqual(
    sorted(expected.split(/\s+/)),
  );
});

test.each(['omp', 'pi', 'pi-legacy'])('every frame of %s has a stability in the schema', (dialect) => {
  const { definitions } = JSON.parse(generated.get(`schema/${dialect}.json`) ?? '');
  const frames = Object.keys(definitions).filter((name) => /(Command|[^m]Event|^HostTool.*)$/.test(name));
  expect(frames.length).toBeGreaterThan(10);
  expect(frames.filter((name) => !['stable', 'experimental'].includes(definitions[name]['x-stability']))).toEqual([]);
  if (dialect === 'omp') expect(definitions.SetHostToolsCommand['x-stability']).toBe('experimental');
});

test('pages, types and the OpenRPC document have the same stability', () => {
  const page = (name: string) => generated.get(name) ?? '';
  const [stable, experimental] = page('docs/stability.md').split('## Commands')[1]?.split('**experimental**') ?? [];
  expect([stable?.includes('#get_state)'), experimental?.includes('#set_event_filter)')]).toEqual([true, true]);
  expect(page('docs/protocol/commands.md')).toMatch(/## set_event_filter\n\n.*\n\n.* · \[experimental\]/);
  expect(page('docs/protocol/events.md')).toMatch(/## notice\n\n.*\n\n\[experimental\]/);
  expect(page('schema/omp.d.ts')).toMatch(/@experimental \*\/\nexport type SetEventFilterCommand/);
  const python = page('clients/python/parley_agent/_commands.py').split('def set_event_filter')[1];
  expect(python?.split('"""')[1]).toMatch(/ Experimental\.$/);
  const { methods } = JSON.parse(page('schema/opal.openrpc.json'));
  expect(methods).toContainEqual(expect.objectContaining({ name: 'opal/ping', 'x-stability': 'experimental' }));
  expect(methods).toContainEqual(expect.objectContaining({ name: 'agent/prompt', 'x-stability': 'stable' }));
});
