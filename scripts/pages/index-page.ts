// Generates docs/protocol/README.md: an overview, and the rules for all frames.
import { events } from '../../src/protocol/index.ts';
import type { Exchange } from './examples.ts';
import { allCommands } from './frames.ts';
import { frames, page } from './markdown.ts';

const RULES = `- In both directions, each line is one JSON object in UTF-8 that ends with a newline. Nothing else is written to stdout.
- The first frame is \`ready\`.
- A host sends commands and answers to \`extension_ui_request\`. It gets responses, events and \`extension_ui_request\` frames.
- A command may have an \`id\`, a string or a number. Its response has the same \`id\`. Events have no \`id\`. The \`id\` of an \`extension_ui_request\` is assigned by the agent.
- Every command gets one response. \`prompt\`, \`abort_and_prompt\` and \`continue_run\` are answered as soon as they are accepted. If an accepted prompt fails later, a second response with the same \`id\` reports it.
- A line that is not a JSON object is answered with \`"command": "parse"\` and no \`id\`; an unknown command is answered without its \`id\`. The following lines are processed normally.
- Blank lines and answers to dialogs get no response. A carriage return before the newline and a byte order mark are ignored.
- U+2028 and U+2029 are escaped, because some line readers split at them.
- When the host closes stdin, accepted work is finished, its events are sent, and the process exits with code 0.`;

export function indexPage(examples: ReadonlyMap<string, readonly Exchange[]>): string {
  const [example] = examples.get('get_last_assistant_text') ?? [];
  return page(
    '# The omp dialect',
    'The default protocol of `parley --mode rpc`: commands on stdin, responses and events on stdout.',
    example && frames(example.request, example.response),
    '## Rules',
    RULES,
    '## Pages',
    `- [Commands](commands.md): ${list(allCommands.map(({ name }) => `[${name}](commands.md#${name})`))}
- [Events](events.md): ${list(events.map(({ type }) => `[${type}](events.md#${type})`))}
- [Types](types.md): messages, models, state, and entries of the session file
- [Tools](tools.md): the tools of the model
- [Settings](settings.md)
- [Flags](flags.md): the flags of the command line
- [Dialects](dialects.md): commands and events of the other dialects
- [Stability](../stability.md): stable and experimental parts`,
    '## Schemas',
    `JSON Schema, draft 7:

- \`schema/omp.json\`, and one for every other dialect: \`HostFrame\` is any frame from the host, \`AgentFrame\` any frame from the agent; commands, responses, events and types have separate definitions
- \`schema/session-entry.json\`: one line of a session file
- \`schema/settings.json\`: the settings file

OpenAPI 3.1:

- \`schema/openapi.json\`: the HTTP API of \`parley serve\`, with an operation for every command; \`parley schema --openapi\` prints it`,
  );
}

function list(links: readonly string[]): string {
  return links.join(', ');
}
