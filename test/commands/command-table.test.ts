// The command table of the server matches the declarations of the commands, also of those that are loaded later.
import { expect, test } from 'vitest';
import { commandTable } from '../../src/commands/command-table.ts';
import { commands } from '../../src/commands/index.ts';
import { multiSessionCommands } from '../../src/commands/multi-session/index.ts';
import type { Command } from '../../src/contracts/index.ts';

const declared = commands as readonly unknown[] as readonly Command[];

test('the table contains exactly the declared commands', () => {
  expect([...commandTable.keys()].sort()).toEqual(declared.map(({ name }) => name).sort());
});

test.each(declared.map((command) => [command.name, command] as const))(
  '%s has the declared lane and access',
  (name, { lane, long = false, access }) => {
    const entry = commandTable.get(name) as Command;
    expect({ lane: entry.lane, long: entry.long ?? false, access: entry.access }).toEqual({ lane, long, access });
  },
);

/**
 * A client with read-only access can call these. They change no session, file, setting or credential, start no model request, and return no key.
 * `negotiate_protocol`, `set_event_filter` and `set_subagent_subscription` change only the connection of the caller.
 */
test('exactly these commands have the access "read"', () => {
  expect(listReaders(declared)).toEqual([
    'find_session',
    'get_available_commands',
    'get_available_models',
    'get_available_thinking_levels',
    'get_branch_messages',
    'get_commands',
    'get_context_breakdown',
    'get_entries',
    'get_last_assistant_text',
    'get_login_providers',
    'get_mcp_servers',
    'get_messages',
    'get_messages_page',
    'get_messages_range',
    'get_queue',
    'get_schema',
    'get_session_stats',
    'get_settings',
    'get_settings_schema',
    'get_state',
    'get_subagent_messages',
    'get_subagents',
    'get_submission',
    'get_submission_patch',
    'get_tree',
    'list_artifacts',
    'list_models',
    'list_sessions',
    'list_submissions',
    'negotiate_protocol',
    'read_artifact',
    'set_event_filter',
    'set_subagent_subscription',
  ]);
  expect(listReaders(multiSessionCommands)).toEqual([
    'auth_status',
    'get_config',
    'get_user_settings',
    'list_all_sessions',
    'list_tasks',
    'ping',
  ]);
});

function listReaders(list: readonly Command[]): string[] {
  return list
    .filter(({ access }) => access === 'read')
    .map(({ name }) => name)
    .sort();
}
