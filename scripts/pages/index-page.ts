// Documents: docs/protocol/README.md. Where to begin, and the rules that hold for every frame.
import { events } from '../../src/protocol/index.ts';
import type { Exchange } from './examples.ts';
import { allCommands } from './frames.ts';
import { frames, page } from './markdown.ts';

const RULES = `- One JSON object per line, ended by a newline, in UTF-8, both ways. Nothing else is written to stdout.
- The first frame is \`ready\`.
- A host sends commands and answers to \`extension_ui_request\`. It gets responses, events and \`extension_ui_request\` frames.
- A command may carry an \`id\`, a string or a number. Its response carries the same one. Events never carry an \`id\`; the \`id\` of an \`extension_ui_request\` is its own.
- Every command gets one response. \`prompt\` and \`abort_and_prompt\` are answered as soon as they are accepted; should an accepted one fail later, a second response with the same \`id\` says so.
- A line that is not a JSON object is answered with \`"command": "parse"\` and no \`id\`, an unknown command without its \`id\`. Reading goes on.
- Blank lines and answers to questions get no response. A carriage return before the newline and a byte order mark do no harm.
- U+2028 and U+2029 leave escaped, so that no line reader cuts a frame.
- When the host closes stdin, accepted work is finished and told, and the process leaves with code 0.`;

export function indexPage(examples: ReadonlyMap<string, readonly Exchange[]>): string {
  const [example] = examples.get('get_last_assistant_text') ?? [];
  return page(
    '# The omp dialect',
    'What `parley --mode rpc` speaks by default: commands in on stdin, responses and events out on stdout.',
    example && frames(example.request, example.response),
    '## Rules',
    RULES,
    '## Pages',
    `- [Commands](commands.md): ${list(allCommands.map(({ name }) => `[${name}](commands.md#${name})`))}
- [Events](events.md): ${list(events.map(({ type }) => `[${type}](events.md#${type})`))}
- [Types](types.md): messages, models, state, and the entries of the session log
- [Tools](tools.md): what the model may do
- [Settings](settings.md)
- [Dialects](dialects.md): what the others have words for
- [Stability](../stability.md): what stays as it is, and what may still change`,
    '## Schemas',
    `JSON Schema, draft 7:

- \`schema/omp.json\`, and one for every other dialect: \`HostFrame\` is everything that a host may send, \`AgentFrame\` everything that it may get; commands, responses, events and types have definitions of their own
- \`schema/session-entry.json\`: one line of a session log
- \`schema/settings.json\`: the settings file`,
  );
}

function list(links: readonly string[]): string {
  return links.join(', ');
}
