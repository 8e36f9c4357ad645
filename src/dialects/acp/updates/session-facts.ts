// Updates about the session itself: plan, commands, notices and compactions.
import type { PlanEntryStatus, SessionUpdate } from '@agentclientprotocol/sdk';
import { getOwnValue, isRecord } from '../../../base/index.ts';
import type { AgentEventOf, TodoItem } from '../../../protocol/index.ts';
import { toTitle } from './describe-tool-call.ts';
import { limitText, MAX_CONTENT_LENGTH } from './limits.ts';

const PLAN_STATUS: Readonly<Record<TodoItem['status'], PlanEntryStatus | undefined>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  blocked: 'pending',
  abandoned: undefined,
};

/** The complete todo list. Abandoned items are left out. */
export function encodePlan(todos: readonly Pick<TodoItem, 'content' | 'status'>[]): SessionUpdate {
  return {
    sessionUpdate: 'plan',
    entries: todos.flatMap(({ content, status: todoStatus }) => {
      const status = PLAN_STATUS[todoStatus];
      return status ? [{ content: limitText(content, 1000), priority: 'medium' as const, status }] : [];
    }),
  };
}

/** The plan after a call of the todo tool. */
export function encodePlanOfResult(toolName: string, details: unknown, isError: boolean): SessionUpdate[] {
  if (toolName !== 'todo_write' || isError || !isRecord(details) || !Array.isArray(details.todos)) return [];
  return [encodePlan(details.todos.filter(isTodo))];
}

function isTodo(value: unknown): value is TodoItem {
  return isRecord(value) && typeof value.content === 'string' && Object.hasOwn(PLAN_STATUS, String(value.status));
}

interface ListedCommand {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: string;
  /** What to type after the name. */
  readonly argumentHint?: string | undefined;
}

const SOURCE_NAMES: Readonly<Record<string, string>> = {
  extension: 'Command of an extension',
  prompt: 'Prompt template',
  file: 'Prompt template',
  skill: 'Skill',
};

/** The hint for commands that do not declare one: all of them accept text after their name. */
const DEFAULT_HINT = 'optional text';

/** The codec handles it. */
const COMPACT = {
  name: 'compact',
  description: 'Replace the older part of the conversation with a summary',
  input: { hint: 'optional instructions for the summary' },
};

/** The commands of Parley come first. */
export function encodeCommands(commands: readonly ListedCommand[]): SessionUpdate {
  return {
    sessionUpdate: 'available_commands_update',
    availableCommands: [
      COMPACT,
      ...commands.map(({ name, description, source, argumentHint }) => ({
        name: name.replace(/^\//, ''),
        description: description || (getOwnValue(SOURCE_NAMES, source) ?? 'Command'),
        input: { hint: argumentHint || DEFAULT_HINT },
      })),
    ],
  };
}

export type Severity = 'info' | 'warning' | 'error';

/** The title is one line; a longer message is also the description. */
export function createNotice(severity: Severity, message: string, description?: string): SessionUpdate {
  const title = toTitle(message) || 'Notice';
  const detail = description ?? (title === message ? '' : message);
  return {
    sessionUpdate: 'notice',
    severity,
    title,
    ...(detail === '' ? {} : { description: limitText(detail, MAX_CONTENT_LENGTH) }),
  };
}

export function createRetryNotice(event: AgentEventOf<'auto_retry_start'>): SessionUpdate {
  const { attempt, maxAttempts, delayMs, errorMessage } = event;
  const seconds = Math.ceil(delayMs / 1000);
  return createNotice('warning', `Retrying in ${seconds} s (attempt ${attempt} of ${maxAttempts})`, errorMessage);
}

export function createCompactionUpdate(
  compactionId: string,
  end?: Pick<AgentEventOf<'compaction_end'>, 'aborted' | 'errorMessage'> & { result: { summary: string } | null },
): SessionUpdate {
  const update = { sessionUpdate: 'compaction_update' as const, compactionId };
  if (!end) return { ...update, status: 'in_progress' };
  if (end.result) {
    const summary = [{ type: 'text' as const, text: limitText(end.result.summary, MAX_CONTENT_LENGTH) }];
    return { ...update, status: 'completed', summary };
  }
  if (end.aborted) return { ...update, status: 'cancelled' };
  return { ...update, status: 'failed', error: end.errorMessage ?? 'The compaction failed' };
}
