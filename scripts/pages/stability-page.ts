// Documents: docs/stability.md. What stays as it is and what may still change, from the marks of the declarations.
import { events } from '../../src/protocol/index.ts';
import { allCommands, hostToolFrames } from './frames.ts';
import { opalMethods } from './frames-opal.ts';
import { page } from './markdown.ts';

const PROMISE = `What is **stable** changes only with the major version of the package, and before 1.0 only with the minor one:

- no command, event, field, result or dialog is taken away or renamed, and none changes its meaning or its type;
- a parameter that may be left out stays so; a result that is always there stays so;
- the order of frames that [the rules](protocol/README.md#rules) promise stays.

What is **experimental** may change or go with any version; the changelog says so. It is marked because few hosts have used
it yet, or because the programs that it comes from still change it.

Some changes are never breaking, so be ready for them:

- new commands, new events, new fields in results, events and entries, and new parameters that may be left out: ignore what you do
  not know;
- new values of \`stopReason\`, \`source\`, \`code\` and other words that name a reason: treat an unknown one as the general case;
- other texts of \`error\` and \`message\`: show them, and compare none of them. Failures with a \`code\` are told apart by that;
- fewer or more updates (\`message_update\`, \`tool_execution_update\`) for the same answer.`;

const ELSEWHERE = `- The mark of each command and each event stands on [its page](protocol/README.md), in the JSON Schema (\`x-stability\`), in the OpenRPC
  document (\`x-stability\`) and in the types (\`@experimental\`). \`parley schema\` prints the one that belongs to the installed program.
- The first frame of the \`omp\` dialect, \`ready\`, has a \`protocolVersion\`. It grows when something stable has to change.
- The dialects \`pi\` and \`pi-legacy\` are held to the programs that they are named after; where those change, a new dialect is made
  instead of changing the old one.
- [Session files](session-format.md) are read for good: a newer Parley reads what an older one wrote. The version is in the first line.
- Settings, flags and exit codes are stable. Text on stderr and the wording of tool results are not.
- \`createAgentSession\`, \`RpcClient\` and \`createClient\` follow semantic versioning; what is exported for tests alone
  (\`parley-agent/testing\`) is experimental.`;

interface Marked {
  readonly name: string;
  readonly stability?: string | undefined;
}

export function stabilityPage(): string {
  const told: Marked[] = events.map(({ type, stability }) => ({ name: type, stability }));
  const tools = hostToolFrames.map((name) => name.replace(/\B[A-Z]/g, '_$&').toLowerCase());
  return page(
    '# Stability',
    'What a host may build upon. The lists on this page are made from the declarations; a test holds what was once stable.',
    PROMISE,
    '## Commands',
    lists(allCommands, (name) => `[${name}](protocol/commands.md#${name})`),
    `The frames of host tools (${tools.map(code).join(', ')}) are as experimental as \`set_host_tools\`. Dialogs (\`extension_ui_request\` and its answers) are stable.`,
    '## Events',
    lists(told, (name) => `[${name}](protocol/events.md#${name})`),
    '## Methods of the opal dialect',
    lists(opalMethods, code),
    'Its events and questions are stable.',
    '## Everything else',
    ELSEWHERE,
  );
}

function lists(marked: readonly Marked[], shown: (name: string) => string): string {
  const isExperimental = ({ stability }: Marked) => stability === 'experimental';
  const names = (which: readonly Marked[]) => which.map(({ name }) => shown(name)).join(', ');
  return `- **stable**: ${names(marked.filter((one) => !isExperimental(one)))}
- **experimental**: ${names(marked.filter(isExperimental))}`;
}

function code(name: string): string {
  return `\`${name}\``;
}
