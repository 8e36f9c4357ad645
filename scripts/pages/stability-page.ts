// Generates docs/stability.md: the stable and the experimental parts of the protocol.
import { events } from '../../src/protocol/index.ts';
import { allCommands, hostToolFrames } from './frames.ts';
import { opalMethods } from './frames-opal.ts';
import { page } from './markdown.ts';

const RULES = `**Stable** parts change only with a new major version of the package, before 1.0 only with a new minor version:

- no command, event, field, result or dialog is removed or renamed, or changes its meaning or type;
- an optional parameter stays optional; a field that is always present stays so;
- the order of frames in [the rules](protocol/README.md#rules) does not change.

**Experimental** parts may change or be removed in any version; the changelog lists such changes. They are experimental because few
hosts use them yet, or because the programs that define them still change them.

These changes are not breaking. Hosts must accept them:

- new commands, new events, new fields in results, events and entries, and new optional parameters: ignore unknown names;
- new values of \`stopReason\`, \`source\`, \`code\` and other reasons: treat an unknown value as the general case;
- other texts of \`error\` and \`message\`: display them, but do not compare them. Use \`code\` to distinguish failures;
- fewer or more updates (\`message_update\`, \`tool_execution_update\`) for the same answer.`;

const OTHER_PARTS = `- The stability of each command and event is on [its page](protocol/README.md), in the JSON Schema (\`x-stability\`), in the OpenRPC
  document (\`x-stability\`) and in the types (\`@experimental\`). \`parley schema\` prints the schema of the installed program.
- The first frame of the \`omp\` dialect, \`ready\`, has a \`protocolVersion\`. It increases when a stable part changes.
- The dialects \`pi\` and \`pi-legacy\` follow the programs of these names. When such a program changes its protocol, a new dialect is added
  and the old one stays.
- [Session files](session-format.md) stay readable: a newer Parley reads the files of older versions. The version is in the first line.
- Settings, flags and exit codes are stable. Text on stderr and the wording of tool results are not.
- \`createAgentSession\`, \`RpcClient\` and \`createClient\` follow semantic versioning. \`parley-agent/testing\` is experimental.`;

interface Declaration {
  readonly name: string;
  readonly stability?: string | undefined;
}

export function stabilityPage(): string {
  const eventList: Declaration[] = events.map(({ type, stability }) => ({ name: type, stability }));
  const tools = hostToolFrames.map((name) => name.replace(/\B[A-Z]/g, '_$&').toLowerCase());
  return page(
    '# Stability',
    'This page lists the stable and the experimental parts of the protocol. The lists are generated from the declarations. A test checks that\nstable names stay.',
    RULES,
    '## Commands',
    lists(allCommands, (name) => `[${name}](protocol/commands.md#${name})`),
    `The frames of host tools (${tools.map(code).join(', ')}) are experimental, as is \`set_host_tools\`. Dialogs (\`extension_ui_request\` and its answers) are stable.`,
    '## Events',
    lists(eventList, (name) => `[${name}](protocol/events.md#${name})`),
    '## Methods of the opal dialect',
    lists(opalMethods, code),
    'Its events and requests to the host are stable.',
    '## Other parts',
    OTHER_PARTS,
  );
}

function lists(declarations: readonly Declaration[], format: (name: string) => string): string {
  const isExperimental = ({ stability }: Declaration) => stability === 'experimental';
  const names = (group: readonly Declaration[]) => group.map(({ name }) => format(name)).join(', ');
  return `- **stable**: ${names(declarations.filter((one) => !isExperimental(one)))}
- **experimental**: ${names(declarations.filter(isExperimental))}`;
}

function code(name: string): string {
  return `\`${name}\``;
}
