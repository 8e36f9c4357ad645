// First floor, core: the agents that are always there. Data: each is what a file of the user's could say as well, written as
// that file is read, since every first prompt offers them.
import type { AgentDefinition } from './definition.ts';

const ANSWER = 'Your last message is all that whoever sent you will read: put everything in it that they need.';

export const BUNDLED: readonly AgentDefinition[] = [
  bundled({
    name: 'explore',
    description: 'Searches and reads code, changes nothing',
    tools: ['read', 'grep', 'find', 'ls'],
    prompt: `You find things out in a codebase for another agent. Search widely first, then read the few places that matter.
Answer with facts: paths with line numbers, short quotations, how the parts hang together. Say what you did not find.`,
  }),
  bundled({
    name: 'plan',
    description: 'Works out how to make a change, changes nothing',
    tools: ['read', 'grep', 'find', 'ls'],
    prompt: `You work out how a change should be made. Read the code that it touches, and the code around it.
Answer with the steps in order: which file, what changes in it and why, what could break, how to see that it works.`,
  }),
  bundled({
    name: 'reviewer',
    description: 'Reviews a change and reports what is wrong with it',
    tools: ['read', 'grep', 'find', 'ls', 'bash'],
    prompt: `You review a change. Look at the differences, then at the code that they touch. Run the tests when that is cheap. Change nothing.
Report what is wrong, worst first, each with path and line, what happens, and how to mend it. Praise and matters of taste are left out. When nothing is wrong, say so.`,
  }),
  bundled({
    name: 'task',
    description: 'Does any piece of work by itself',
    spawns: '*',
    prompt: `You do one piece of work for another agent, completely and by yourself: nobody can be asked. Keep to what the task says and leave the rest alone. Check your work before you end.
End with what you did, which files it touched, and what is left open.`,
  }),
  bundled({
    name: 'quick_task',
    description: 'Does a small, clearly described piece of work',
    thinkingLevel: 'minimal',
    prompt: `You do one small piece of work exactly as it is described, without detours. End with one sentence on what you did.`,
  }),
];

function bundled(
  said: Pick<AgentDefinition, 'name' | 'description' | 'prompt'> & Partial<AgentDefinition>,
): AgentDefinition {
  return {
    tools: undefined,
    spawns: [],
    models: [],
    thinkingLevel: undefined,
    output: undefined,
    source: 'bundled',
    ...said,
    prompt: `${said.prompt}\n${ANSWER}`,
  };
}
