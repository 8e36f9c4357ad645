// Which commands may be sent twice, and which ones must be sent again on a new connection.

/** Commands that change nothing. After a broken connection they are sent again. */
const READ_COMMAND = /^(?:(?:get|list|search|find|read|preview|count|describe)_\w+|ping)$/;

/** What the server keeps for a connection. A new connection needs it too. */
const CONNECTION_COMMANDS: ReadonlySet<string> = new Set([
  'set_event_filter',
  'set_subagent_subscription',
  'set_host_tools',
  'set_host_uri_schemes',
]);

export function isReadCommand(command: string): boolean {
  return READ_COMMAND.test(command);
}

export function isConnectionCommand(command: string): boolean {
  return CONNECTION_COMMANDS.has(command);
}
