// Documents: docs/protocol/tools.md. What the model may do, from the declarations of src/tools.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Tool } from '../../src/contracts/index.ts';
import { BUNDLED } from '../../src/core/subagent/bundled.ts';
import { createAskTool } from '../../src/tools/ask.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { createTaskTool } from '../../src/tools/task.ts';
import { tasks } from '../../src/tools/tasks.ts';
import { todoWrite } from '../../src/tools/todo-write.ts';
import type { JsonSchema } from './json-schema.ts';
import { page, section } from './markdown.ts';
import { fieldTable } from './type-text.ts';

const agents = BUNDLED;
const ask = createAskTool({ host: () => undefined });
const tools: readonly Tool[] = [...builtinTools, createTaskTool({ agents, canIsolate: true }), todoWrite, tasks, ask];

export function toolPage(): string {
  return page(
    '# Tools',
    'What the model may do. Hosts meet these names and arguments in `tool_execution_start` and in tool calls.',
    `Some are there only when a setting says so (\`todo.enabled\`, \`tasks.enabled\`, \`ask.enabled\`) or \`--tools\` names them.`,
    ...tools.map((tool) =>
      section(
        `## ${tool.name}`,
        `Effect: \`${tool.effect}\``,
        quoted(tool),
        fieldTable(parametersOf(tool), 'required'),
      ),
    ),
  );
}

/** The words are for the model; quoted, so that nothing in them is taken for the page's own Markdown. */
function quoted({ doc }: Tool): string {
  return doc
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function parametersOf({ parameters, params }: Tool): JsonSchema {
  return (parameters ?? toJsonSchema(params, { errorMode: 'ignore' })) as JsonSchema;
}
