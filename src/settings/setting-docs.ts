// The documentation of all settings. Loaded only when it is shown.
import type { SettingKey } from './settings-table.ts';

export const SETTING_DOCS: Readonly<Record<SettingKey, string>> = {
  defaultProvider: 'The provider of a new session.',
  defaultModel: 'The model of a new session.',
  defaultThinkingLevel: 'The thinking level of a new session.',
  steeringMode: 'How many queued steering messages are delivered per turn.',
  followUpMode: 'How many queued follow-up messages are delivered per turn.',
  interruptMode: 'Whether steering messages are delivered between tool calls or after the turn.',
  'compaction.enabled': 'Summarise old history when the context window fills up.',
  'compaction.reserveTokens': 'Tokens reserved for the answer.',
  'compaction.keepRecentTokens': 'Tokens of recent history that a compaction does not summarise.',
  'retry.enabled': 'Retry when a provider is overloaded or fails temporarily.',
  'retry.maxRetries': 'The maximum number of retries.',
  'retry.baseDelayMs': 'Milliseconds before the first retry; doubled for each further one.',
  'retry.maxDelayMs': 'The maximum delay before a retry, in milliseconds.',
  'http.idleTimeoutMs':
    'Milliseconds without content from a provider before the run ends with an error. Pings are not content; retries are included.',
  'http.totalTimeoutMs': 'Milliseconds that a complete answer may take before the run ends with an error.',
  shellPath: 'The shell that runs commands.',
  'bash.timeout': 'Default timeout of a shell command in seconds, when the model sets none.',
  'rpc.maxLineBytes': 'The maximum length of a line from the host, in bytes.',
  store:
    'The PostgreSQL database in which sessions are stored: `postgres://USER:PASSWORD@HOST:PORT/NAME`. Absent: in session files. The variable PARLEY_DATABASE_URL has the same effect and keeps the password out of files.',
  'database.tenant': 'Whose sessions are used in the database. The sessions of other tenants are invisible.',
  'database.takeoverSeconds':
    'After this time, another process continues the sessions of one that has ended or has no connection to the database.',
  'database.retentionDays':
    'Sessions of the database that were not used for this number of days are deleted by `parley serve`. Sessions in use are kept. Absent: none are deleted.',
  'workspace.remote':
    'With a database and in `parley serve`: the git URL, or the name of a remote of the repository, to which the files that a session works on are saved, so that other nodes of the fleet can continue with them. Each session then works in a copy of the repository. Absent: the working directories are on storage that all nodes share.',
  'workspace.directory':
    'Where the copies of repositories are created in which sessions work. Absent: the directory `workspaces` in the user directory.',
  'workspace.keepHours':
    'After this time without use, the copy of a closed session is removed from this machine. It is restored from the remote when the session is opened again.',
  'workspace.repositories':
    'Repositories that a client may name for a session: absolute paths, whose subdirectories are allowed too, and beginnings of git URLs. Empty: only the repository in which the server was started.',
  'serve.port': 'The TCP port of `parley serve`. 0 uses any free port.',
  'serve.host':
    'The address on which `parley serve` listens. Another address than that of the loopback interface needs an explicit token, and TLS in front of the server.',
  'serve.idleMinutes':
    'After this time without clients and work, `parley serve` closes a session. It is opened again when it is needed.',
  'serve.clientBuffer':
    'How many bytes may wait for one client of `parley serve`. A client with more that reads nothing for ten seconds is disconnected and can connect again; so is a client with four times as many.',
  'serve.maxClients': 'How many connections `parley serve` accepts at the same time.',
  'serve.allowedHosts':
    'Further values of the Host header that `parley serve` accepts, for example `agent.example.org` behind a proxy.',
  'serve.allowedOrigins':
    'Origins of web pages that may use the HTTP API of `parley serve` with a token, for example `https://example.org`.',
  'rpc.stream': 'With `full`, every update contains the message so far; with `delta`, only the new text.',
  'rpc.onEof': 'When the host closes stdin: finish the running work, or abort it.',
  dialect: 'The protocol dialect used in RPC mode.',
  approval:
    'Which tool calls need an approval. `full` or `never`: none. `auto-edit` or `on-execute`: those that execute. `ask` or `on-write`: those that write or execute. `always`: all. `read-only` denies calls that write, and commands except harmless ones.',
  approvalTimeout:
    'Milliseconds that the host has to approve a tool call; then it is denied. 0: no timeout. The terminal has no timeout.',
  'permissions.allow': 'Rules `tool(pattern)` of calls that need no approval.',
  'permissions.ask': 'Rules of calls that always need an approval.',
  'permissions.deny': 'Rules of calls that are never run. They win over all others.',
  'permissions.allowProjectRules': 'Use `permissions.allow` of trusted projects, too.',
  sandbox:
    'What the commands of tools may change: everything (`off`), only the working directory and `sandbox.writableRoots`, or nothing.',
  'sandbox.network':
    'Whether commands in the sandbox may use the network; with `allow-list` only the hosts of `sandbox.allowedHosts`.',
  'sandbox.allowedHosts': 'Host names for `allow-list`, such as `example.com`, `*.example.com` or `example.com:8443`.',
  'sandbox.writableRoots': 'Further directories that tools may read and change, in the sandbox and with `paths`.',
  'sandbox.deniedReads': 'Further files and directories that tools may not read.',
  paths:
    'Whether file tools may leave the working directory and the listed directories: yes (`off`), with a warning, or no (`enforce`). Default: `enforce` with a sandbox, otherwise `warn`.',
  'paths.readRoots': 'Further directories that file tools may read.',
  'ui.timeout': 'Default timeout in milliseconds of a question to the host.',
  extensions: 'Additional extension files or folders.',
  'extensions.hookTimeout': 'Timeout of an extension handler in milliseconds; the agent then continues without it.',
  skills: 'Additional skill files or folders.',
  prompts: 'Additional prompt template files or folders.',
  enableSkillCommands: 'Offer every skill as `/skill:name`.',
  'ttsr.enabled': 'Let rules with a trigger interrupt the answer.',
  'ttsr.contextMode': 'Whether an interrupted answer is removed from the context (`discard`) or stays in it (`keep`).',
  'ttsr.repeatMode': 'Whether a rule triggers once per session, or again after a gap.',
  'ttsr.repeatGap': 'The number of turns before a rule can trigger again, with `after-gap`.',
  'todo.enabled': 'Offer the model the `todo_write` tool.',
  'todo.reminders': 'Remind the model of open todos when it stops.',
  'todo.maxReminders': 'The maximum number of consecutive reminders.',
  'tasks.enabled': 'Offer the model the `tasks` tool: a task list with dependencies.',
  'ask.enabled': 'Offer the model the `ask` tool: questions to the host.',
  'mcp.enabled': 'Use MCP servers.',
  'mcp.disabledServers': 'MCP servers that are not used, by name.',
  'mcp.startupTimeout':
    'Milliseconds that the first request waits for MCP servers. Slower servers are used when they are ready.',
  'mcp.maxInlineTools':
    'With more tools of MCP servers than this, requests contain only their names, and the model finds their parameters with `find_tools`.',
  'mcp.sampling': "Let MCP servers send requests to the session's model, at the user's cost.",
  'task.maxConcurrency': 'The maximum number of subagents of one call that run at the same time; 0: no limit.',
  'task.maxRecursionDepth': 'The maximum nesting depth of subagents; 0: subagents start no subagents.',
  'task.disabledAgents': 'Agents that may not be started, by name.',
  'task.agentModelOverrides': 'Models by agent name; they override the model in the agent file.',
  'task.isolation.mode':
    'How isolated subagents work. All values except `none` use a git worktree; `none` refuses isolation.',
  'task.isolation.merge': 'How isolated work is merged: applied as patches, or merged as branches.',
  'task.isolation.commits':
    'Commit messages of isolated work: a fixed text (`generic`), or written by the model (`ai`).',
  'task.verification.enabled': 'Enable automatic verification.',
  'task.verification.defaultProfile': 'The profile used for `verify: true`.',
  'task.verification.requireForIsolated': 'Verify every isolated task, even if not requested.',
  'task.verification.maxRetries': 'The maximum number of repair attempts after a failed verification.',
  'task.verification.failureContextLineLimit': 'Lines of failed output that are passed to the repairing subagent.',
  'task.verification.profiles': 'Verification profiles by name: lists of commands.',
  'task.budget.maxWallTimeMs': 'The maximum run time of a session, in milliseconds.',
  'task.budget.maxInputTokens': 'The maximum number of input tokens.',
  'task.budget.maxOutputTokens': 'The maximum number of output tokens.',
  'task.budget.maxTotalTokens': 'The maximum number of input and output tokens together.',
  'task.budget.maxCostUsd': 'The maximum model cost, in US dollars.',
  'task.budget.maxToolCalls': 'The maximum number of tool calls.',
  'task.budget.maxSubagents': 'The maximum number of subagents.',
  'task.budget.warnAtRatio': 'The fraction of a limit at which a warning is sent to the host.',
};
