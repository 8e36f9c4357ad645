// Converts the messages of a conversation into messages for a model. Pure.
import type { AgentMessage, BashExecutionMessage, ModelMessage, UserMessage } from '../../protocol/index.ts';
import { inlineAttachments } from './attachments.ts';
import { repairHistory } from './repair-history.ts';

/** The history for the next request, repaired so that every provider accepts it. */
export function toModelMessages(messages: readonly AgentMessage[]): ModelMessage[] {
  return repairHistory(messages.flatMap(toModelMessage));
}

function toModelMessage(message: AgentMessage): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [inlineAttachments(message)];
    case 'assistant':
    case 'toolResult':
      return [message];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [createUserMessage(formatShellExecution(message), message.timestamp)];
    case 'custom':
      return [{ role: 'user', content: message.content, timestamp: message.timestamp }];
    case 'compactionSummary':
      return [
        createUserMessage(
          `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${message.summary}\n</summary>`,
          message.timestamp,
        ),
      ];
    case 'branchSummary':
      return [
        createUserMessage(
          `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${message.summary}\n</summary>`,
          message.timestamp,
        ),
      ];
  }
}

function createUserMessage(text: string, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** These texts are part of the protocol: hosts document them to their users. */
function formatShellExecution(run: BashExecutionMessage): string {
  const output = run.output === '' ? '(no output)' : addFence(run.output);
  const lines = [`Ran \`${run.command}\`\n${output}`];
  if (run.cancelled) lines.push('(command cancelled)');
  else if (run.exitCode !== undefined && run.exitCode !== 0) lines.push(`Command exited with code ${run.exitCode}`);
  if (run.truncated && run.artifactId) lines.push(`[Output truncated. Full output: artifact://${run.artifactId}]`);
  return lines.join('\n\n');
}

/** Adds a code fence that is longer than any fence inside the output, so that the output cannot close it. */
function addFence(output: string): string {
  const longest = Math.max(2, ...(output.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${output}${output.endsWith('\n') ? '' : '\n'}${fence}`;
}
