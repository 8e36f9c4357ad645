// Converts messages to the OpenAI Responses format. Earlier messages always convert to the same bytes, for prompt caching.
import type {
  ResponseFunctionToolCall,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
} from 'openai/resources/responses/responses';
import type { ModelRequest } from '../../../contracts/index.ts';
import type {
  AssistantMessage,
  ImageContent,
  ModelMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
} from '../../../protocol/index.ts';
import { adaptHistory } from '../../adapt-history.ts';
import { normalizeCallId } from '../../call-id.ts';
import { decodeTextSignature, decodeThinkingSignature, splitCallId } from './signature.ts';

export function buildInput({ messages, model }: Pick<ModelRequest, 'messages' | 'model'>): ResponseInputItem[] {
  return adaptHistory(messages, model, { normalizeCallId: (id) => id }).flatMap(toItems);
}

function toItems(message: ModelMessage): ResponseInputItem[] {
  if (message.role === 'assistant') return toAssistantItems(message);
  if (message.role === 'toolResult') return [toToolOutput(message)];
  const { content } = message;
  const parts = typeof content === 'string' ? toTextParts(content) : content.flatMap(toInputParts);
  return parts.length === 0 ? [] : [{ type: 'message', role: 'user', content: parts }];
}

/**
 * The API rejects a reasoning item that is not followed by its next item with its original id, and an item with an id
 * whose reasoning is missing. Items without ids are always accepted. So ids are sent only after reasoning items that are
 * sent too, never for answers of other models. When either is missing, ids are omitted for the rest of the answer.
 */
function toAssistantItems(message: AssistantMessage): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  let canReplayIds = message.stopReason !== 'aborted' && message.stopReason !== 'error';
  let hasReasoning = false;
  let reasoning: ResponseInputItem[] = [];
  for (const block of message.content) {
    if (block.type === 'thinking') {
      const item = decodeThinkingSignature(block.thinkingSignature);
      if (item) reasoning.push(item);
      else canReplayIds = false;
      continue;
    }
    if (block.type === 'text' && block.text === '') continue;
    const id: string | undefined =
      canReplayIds && (hasReasoning || reasoning.length > 0) ? getItemId(block) : undefined;
    if (reasoning.length > 0) {
      canReplayIds = id !== undefined;
      if (canReplayIds) items.push(...reasoning);
      hasReasoning = true;
      reasoning = [];
    }
    items.push(block.type === 'text' ? toTextItem(block, id) : toCallItem(block, id));
  }
  return items;
}

function getItemId(block: TextContent | ToolCall): string | undefined {
  return block.type === 'text' ? decodeTextSignature(block.textSignature)?.id : splitCallId(block.id).itemId;
}

function toTextItem({ text, textSignature }: TextContent, id: string | undefined): ResponseInputItem {
  const phase = decodeTextSignature(textSignature)?.phase;
  const phaseField = phase ? { phase } : {};
  if (id === undefined) return { type: 'message', role: 'assistant', ...phaseField, content: text };
  const content = [{ type: 'output_text' as const, text, annotations: [] }];
  return { type: 'message', role: 'assistant', id, ...phaseField, status: 'completed', content };
}

function toCallItem(call: ToolCall, id: string | undefined): ResponseFunctionToolCall {
  return {
    type: 'function_call',
    ...(id === undefined ? {} : { id }),
    call_id: normalizeCallId(splitCallId(call.id).callId),
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  };
}

function toToolOutput(message: ToolResultMessage): ResponseInputItem.FunctionCallOutput {
  const parts = message.content.flatMap(toInputParts);
  // The format has no error flag, so the text must describe the error.
  if (parts.length === 0 && message.isError)
    parts.push({ type: 'input_text', text: 'The tool failed without output.' });
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  // Some servers of this format do not accept a list, so it is sent only for images.
  const output = texts.length === parts.length ? texts.join('\n') : parts;
  return { type: 'function_call_output', call_id: normalizeCallId(splitCallId(message.toolCallId).callId), output };
}

function toTextParts(text: string): ResponseInputText[] {
  return text === '' ? [] : [{ type: 'input_text', text }];
}

function toInputParts(block: TextContent | ImageContent): (ResponseInputText | ResponseInputImage)[] {
  return block.type === 'text' ? toTextParts(block.text) : [toImagePart(block)];
}

const SUPPORTED_URL = /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,)./i;

/** An unsupported image becomes a note, because the API would reject every later request of the session. */
function toImagePart(image: ImageContent): ResponseInputImage | ResponseInputText {
  const url = 'data' in image ? `data:${image.mimeType};base64,${image.data}` : image.source.url;
  const image_url = url.replace(/^data:image\/jpg;/i, 'data:image/jpeg;');
  if (SUPPORTED_URL.test(image_url)) return { type: 'input_image', detail: 'auto', image_url };
  return { type: 'input_text', text: `[An image was left out: ${describeImageProblem(image)}.]` };
}

function describeImageProblem(image: ImageContent): string {
  if (!('data' in image)) return 'only web addresses can be sent to this model';
  return image.data === '' ? 'it is empty' : `this model does not read ${image.mimeType}`;
}
