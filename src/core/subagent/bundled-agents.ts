// Definitions of the bundled agents. They are objects and not Markdown files, because every first prompt lists them and parsing costs time.
import type { AgentDefinition } from './agent-definition.ts';

const ANSWER_INSTRUCTION = 'The agent that started you reads only your last message: include everything it needs.';

export const BUNDLED_AGENTS: readonly AgentDefinition[] = [
  createBundledAgent({
    name: 'explore',
    description: 'Searches and reads code, changes nothing',
    tools: ['read', 'grep', 'find', 'ls'],
    prompt: `You find things out in a codebase for another agent. Search widely first, then read the few places that matter.
Answer with facts: paths with line numbers, short quotations, how the parts relate. State what you did not find.`,
  }),
  createBundledAgent({
    name: 'plan',
    description: 'Plans how to make a change, changes nothing',
    tools: ['read', 'grep', 'find', 'ls'],
    prompt: `You work out how a change should be made. Read the code that it touches, and the code around it.
Answer with the steps in order: which file, what changes in it and why, what could break, how to see that it works.`,
  }),
  createBundledAgent({
    name: 'reviewer',
    description: 'Reviews a change and reports what is wrong with it',
    tools: ['read', 'grep', 'find', 'ls', 'bash'],
    prompt: `You review a change. Look at the differences, then at the code that they touch. Run the tests when that is cheap. Change nothing.
Report what is wrong, worst first, each with path and line, what happens, and how to fix it. Leave out praise and matters of taste. If nothing is wrong, say so.`,
  }),
  createBundledAgent({
    name: 'task',
    description: 'Completes any task on its own',
    spawns: '*',
    prompt: `You do one piece of work for another agent, completely and on your own: you cannot ask questions. Keep to what the task says and leave the rest alone. Check your work before you end.
End with what you did, which files it touched, and what is left open.`,
  }),
  createBundledAgent({
    name: 'quick_task',
    description: 'Completes a small, precisely described task',
    thinkingLevel: 'minimal',
    prompt: `You do one small piece of work exactly as it is described, without detours. End with one sentence on what you did.`,
  }),
];

function createBundledAgent(
  definition: Pick<AgentDefinition, 'name' | 'description' | 'prompt'> & Partial<AgentDefinition>,
): AgentDefinition {
  return {
    tools: undefined,
    spawns: [],
    models: [],
    thinkingLevel: undefined,
    outputSchema: undefined,
    source: 'bundled',
    ...definition,
    prompt: `${definition.prompt}\n${ANSWER_INSTRUCTION}`,
  };
}
