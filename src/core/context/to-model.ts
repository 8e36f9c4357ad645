// First floor, core: turns the conversation into what a model may be given. Pure; knows no provider and no session.
import type { AgentMessage, BashExecutionMessage, ModelMessage, UserMessage } from '../../protocol/index.ts';
import { withAttachments } from './attachments.ts';
import { repair } from './repair.ts';

/** The history for the next request: every kind of message in a model's terms, then made valid. */
export function toModelMessages(messages: readonly AgentMessage[]): ModelMessage[] {
  return repair(messages.flatMap(translate));
}

function translate(message: AgentMessage): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [withAttachments(message)];
    case 'assistant':
    case 'toolResult':
      return [message];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [asUser(describeExecution(message), message.timestamp)];
    case 'custom':
      return [{ role: 'user', content: message.content, timestamp: message.timestamp }];
    case 'compactionSummary':
      return [
        asUser(
          `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${message.summary}\n</summary>`,
          message.timestamp,
        ),
      ];
    case 'branchSummary':
      return [
        asUser(
          `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${message.summary}\n</summary>`,
          message.timestamp,
        ),
      ];
  }
}

function asUser(text: string, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** The words are the protocol's: hosts document them to their users. */
function describeExecution(run: BashExecutionMessage): string {
  const output = run.output === '' ? '(no output)' : fenced(run.output);
  const lines = [`Ran \`${run.command}\`\n${output}`];
  if (run.cancelled) lines.push('(command cancelled)');
  else if (run.exitCode !== undefined && run.exitCode !== 0) lines.push(`Command exited with code ${run.exitCode}`);
  if (run.truncated && run.artifactId) lines.push(`[Output truncated. Full output: artifact://${run.artifactId}]`);
  return lines.join('\n\n');
}

/** A fence longer than any inside the output, so that the output cannot end it. */
function fenced(output: string): string {
  const longest = Math.max(2, ...(output.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${output}${output.endsWith('\n') ? '' : '\n'}${fence}`;
}
