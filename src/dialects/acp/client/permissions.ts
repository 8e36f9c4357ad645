// Questions as permission requests: the approval of a tool call, and questions to clients without forms.
import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import { isRecord } from '../../../base/index.ts';
import type { UiAnswer, UiRequest } from '../../../protocol/index.ts';
import { describeToolCall, describeToolContent } from '../updates/index.ts';
import type { ClientQuestion } from './client-question.ts';

type SelectRequest = Extract<UiRequest, { method: 'select' }>;
type ConfirmRequest = Extract<UiRequest, { method: 'confirm' }>;

interface Choice extends PermissionOption {
  readonly answer: UiAnswer;
}

export function createApprovalRequest(
  { toolCallId, toolName, args, cwd }: NonNullable<SelectRequest['toolCall']>,
  sessionId: string,
): ClientQuestion {
  const toolCall = {
    toolCallId,
    status: 'pending' as const,
    ...describeToolCall(toolName, args, cwd),
    rawInput: args,
    content: describeToolContent(toolName, args, cwd),
  };
  return createPermissionRequest(sessionId, toolCall, [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow', answer: { value: 'allow' } },
    {
      optionId: 'allow_always',
      kind: 'allow_always',
      name: `Always allow ${toolName} in this session`,
      answer: { value: 'allow_session' },
    },
    { optionId: 'reject_once', kind: 'reject_once', name: 'Reject', answer: { value: 'deny' } },
    {
      optionId: 'reject_always',
      kind: 'reject_always',
      name: `Always reject ${toolName} in this session`,
      answer: { value: 'deny_session' },
    },
  ]);
}

export function createYesNoRequest(request: ConfirmRequest, sessionId: string): ClientQuestion {
  return createQuestionRequest(request, sessionId, [
    { optionId: 'yes', kind: 'allow_once', name: 'Yes', answer: { confirmed: true } },
    { optionId: 'no', kind: 'reject_once', name: 'No', answer: { confirmed: false } },
  ]);
}

export function createChoiceRequest(request: SelectRequest, sessionId: string): ClientQuestion {
  const choices = request.options.map(
    (name, index): Choice => ({
      optionId: `choice_${index + 1}`,
      kind: 'allow_once',
      name,
      answer: { value: name },
    }),
  );
  return createQuestionRequest(request, sessionId, choices);
}

/** The protocol requires a tool call. Clients show one with an unknown id as a new one. */
function createQuestionRequest(
  { id, title, message }: SelectRequest | ConfirmRequest,
  sessionId: string,
  choices: readonly Choice[],
): ClientQuestion {
  const toolCallId = `question-${id}`;
  const content: ToolCallContent[] = message ? [{ type: 'content', content: { type: 'text', text: message } }] : [];
  const toolCall = { toolCallId, title, kind: 'other' as const, status: 'pending' as const, content };
  return { ...createPermissionRequest(sessionId, toolCall, choices), questionCallId: toolCallId };
}

/** An outcome that is not one of the choices is no answer. */
function createPermissionRequest(
  sessionId: string,
  toolCall: RequestPermissionRequest['toolCall'],
  choices: readonly Choice[],
): ClientQuestion {
  const options = choices.map(({ optionId, kind, name }): PermissionOption => ({ optionId, kind, name }));
  const params: RequestPermissionRequest = { sessionId, toolCall, options };
  return {
    method: 'session/request_permission',
    params,
    parseAnswer({ outcome }) {
      if (!isRecord(outcome) || outcome.outcome !== 'selected') return undefined;
      return choices.find(({ optionId }) => optionId === outcome.optionId)?.answer;
    },
  };
}
