// Generates docs/protocol/tools.md from the declarations of src/tools.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Tool } from '../../src/contracts/index.ts';
import { BUNDLED_AGENTS } from '../../src/core/subagent/bundled-agents.ts';
import { createAskTool } from '../../src/tools/ask.ts';
import { builtinTools } from '../../src/tools/index.ts';
import { createTaskTool } from '../../src/tools/task.ts';
import { tasks } from '../../src/tools/tasks.ts';
import { todoWrite } from '../../src/tools/todo-write.ts';
import type { JsonSchema } from './json-schema.ts';
import { page, section } from './markdown.ts';
import { fieldTable } from './type-text.ts';

const agents = BUNDLED_AGENTS;
const ask = createAskTool({ host: () => undefined });
const tools: readonly Tool[] = [...builtinTools, createTaskTool({ agents, canIsolate: true }), todoWrite, tasks, ask];

export function toolPage(): string {
  return page(
    '# Tools',
    'The tools of the model. Their names and arguments appear in `tool_execution_start` and in tool calls.',
    `Some tools are enabled by a setting (\`todo.enabled\`, \`tasks.enabled\`, \`ask.enabled\`) or by \`--tools\`.`,
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

/** The description for the model, as a quotation, so that its Markdown does not affect the page. */
function quoted({ doc }: Tool): string {
  return doc
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function parametersOf({ jsonSchema, params }: Tool): JsonSchema {
  return (jsonSchema ?? toJsonSchema(params, { errorMode: 'ignore' })) as JsonSchema;
}
