// Questions as permission requests: the approval of a tool call, and questions to clients without forms.
import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import { escapeInvisible } from '../../../base/escape-invisible.ts';
import { isRecord } from '../../../base/index.ts';
import type { UiAnswer, UiRequest } from '../../../protocol/index.ts';
import { describeToolCall, describeToolContent } from '../updates/index.ts';
import type { ClientQuestion } from './client-question.ts';

type SelectRequest = Extract<UiRequest, { method: 'select' }>;
type ConfirmRequest = Extract<UiRequest, { method: 'confirm' }>;

type CallToApprove = NonNullable<SelectRequest['toolCall']>;

interface Choice extends PermissionOption {
  readonly answer: UiAnswer;
}

interface ApprovalChoice extends PermissionOption {
  readonly answer: { readonly value: string };
}

export function createApprovalRequest(
  { options }: SelectRequest,
  call: CallToApprove,
  sessionId: string,
): ClientQuestion {
  const { toolCallId, toolName, args, cwd, reason } = call;
  const content = [...describeToolContent(toolName, args, cwd), ...(reason ? [createText(reason)] : [])];
  const toolCall = {
    toolCallId,
    status: 'pending' as const,
    ...describeToolCall(toolName, args, cwd),
    rawInput: args,
    content,
  };
  const choices = listApprovalChoices(call).filter(({ answer }) => isOffered(answer, options));
  return createPermissionRequest(sessionId, toolCall, choices);
}

/** The client needs names that say what each answer covers. */
function listApprovalChoices({ toolName, rules = [], sessionScope = toolName }: CallToApprove): ApprovalChoice[] {
  const always = `Always allow ${rules.map(escapeInvisible).join(', ')} (saved in your settings)`;
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow', answer: { value: 'allow' } },
    {
      optionId: 'allow_session',
      kind: 'allow_always',
      name: `Allow ${escapeInvisible(sessionScope)} in this session`,
      answer: { value: 'allow_session' },
    },
    { optionId: 'allow_always', kind: 'allow_always', name: always, answer: { value: 'allow_always' } },
    { optionId: 'reject_once', kind: 'reject_once', name: 'Reject', answer: { value: 'deny' } },
    {
      optionId: 'reject_always',
      kind: 'reject_always',
      name: `Always reject ${toolName} in this session`,
      answer: { value: 'deny_session' },
    },
  ];
}

/** `deny_session` is never in the list, because older hosts show all of it. */
function isOffered({ value }: ApprovalChoice['answer'], options: readonly string[]): boolean {
  return value === 'deny_session' || options.includes(value);
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
  const content = message ? [createText(message)] : [];
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
    parseAnswer({ outcome, _meta }) {
      if (!isRecord(outcome) || outcome.outcome !== 'selected') return undefined;
      const answer = choices.find(({ optionId }) => optionId === outcome.optionId)?.answer;
      return answer && 'value' in answer ? { ...answer, ...readMessage(_meta) } : answer;
    },
  };
}

/** The protocol has no field for a message to the model. */
function readMessage(meta: unknown): { message?: string } {
  const message = isRecord(meta) && isRecord(meta.parley) ? meta.parley.message : undefined;
  return typeof message === 'string' ? { message } : {};
}

function createText(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
