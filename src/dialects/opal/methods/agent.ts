// agent/* and tasks/list: prompts, state and tracked tasks of one session.
import { array, boolean, number, object, picklist, record, string } from 'valibot';
import type { SessionState } from '../../../protocol/index.ts';
import { type TrackedTask, toTaskRow } from '../../../protocol/tracked-task.ts';
import { keysToSnakeCase } from '../casing.ts';
import { type OpalMethod, sessionMethod } from '../method.ts';
import { getTokenUsage } from '../token-usage.ts';
import { getSelectedModel, selectedModel } from './models.ts';
import { checkTextParam } from './param-checks.ts';

const promptMethod = (
  streamingBehavior: 'steer' | 'followUp',
  reply: Pick<OpalMethod, 'toAcceptedResult' | 'result'>,
): OpalMethod =>
  sessionMethod({
    command: 'prompt',
    params: { text: string() },
    checkParams: checkTextParam,
    toParams: ({ text }) => ({ message: text, streamingBehavior }),
    createEventsAfter: ({ params: { text }, disposition }) =>
      disposition === 'queued' ? [{ type: 'message_queued', text }] : [],
    ...reply,
  });

export const agentMethods: Record<string, OpalMethod> = {
  'agent/prompt': promptMethod('followUp', {
    result: object({ queued: boolean() }),
    toAcceptedResult: (disposition) => ({ queued: disposition === 'queued' }),
  }),
  'agent/steer': promptMethod('steer', { toAcceptedResult: () => ({}) }),
  'agent/abort': sessionMethod({
    command: 'abort',
    doc: 'Stop the current run, if there is one, without waiting for its last event.',
    toAcceptedResult: () => ({}),
    // A running run sends agent_abort when it ends. Without a run, it is sent here.
    createEventsAfter: ({ disposition }) => (disposition === 'nothing_to_do' ? [{ type: 'agent_abort' }] : []),
  }),
  'agent/state': sessionMethod({
    command: 'get_state',
    doc: 'The status of the session: idle or running, model, tools, message count and token usage.',
    result: object({
      session_id: string(),
      status: picklist(['idle', 'running']),
      model: selectedModel,
      message_count: number(),
      tools: array(string()),
      token_usage: object({
        prompt_tokens: number(),
        completion_tokens: number(),
        total_tokens: number(),
        context_window: number(),
        current_context_tokens: number(),
      }),
    }),
    toResult: async ({ isStreaming, isCompacting, messageCount }: SessionState, { call: { session } }) => ({
      session_id: session.id,
      status: isStreaming || isCompacting ? 'running' : 'idle',
      model: getSelectedModel(session),
      message_count: messageCount,
      tools: (await session.tools.listAll()).map(({ name }) => name),
      token_usage: keysToSnakeCase(getTokenUsage(session)),
    }),
  }),
  'tasks/list': sessionMethod({
    command: 'list_tasks',
    doc: 'The unfinished tracked tasks of this session (see the `tasks` tool), highest priority first. Every value is a string.',
    result: object({ tasks: array(record(string(), string())) }),
    failureMessage: 'Tasks query failed',
    toResult: ({ tasks }: { tasks: readonly TrackedTask[] }) => ({ tasks: tasks.map(toTaskRow) }),
  }),
};
