// First floor, llm: our history as the Responses format wants it. Pure; the order and bytes of what was sent before never change.
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
import { callId as accepted } from '../../call-id.ts';
import { forModel } from '../../for-model.ts';
import { readHidden, readTextSignature, splitCallId } from './signature.ts';

export function wireInput({ messages, model }: Pick<ModelRequest, 'messages' | 'model'>): ResponseInputItem[] {
  return forModel(messages, model, { callId: (id) => id }).flatMap(itemsOf);
}

function itemsOf(message: ModelMessage): ResponseInputItem[] {
  if (message.role === 'assistant') return answerItems(message);
  if (message.role === 'toolResult') return [resultOf(message)];
  const { content } = message;
  const given = typeof content === 'string' ? said(content) : content.flatMap(givenPart);
  return given.length === 0 ? [] : [{ type: 'message', role: 'user', content: given }];
}

/**
 * Reasoning and what follows it belong together. The provider refuses reasoning whose next item does not stand there under
 * its own id, and an item under its id whose reasoning is missing; items without ids are taken as they are. So ids are
 * sent only after reasoning that is sent (never in what another model wrote), and where one is lost the other goes, for
 * the rest of the answer.
 */
function answerItems(message: AssistantMessage): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  let whole = message.stopReason !== 'aborted' && message.stopReason !== 'error';
  let reasoned = false;
  let reasoning: ResponseInputItem[] = [];
  for (const block of message.content) {
    if (block.type === 'thinking') {
      const item = readHidden(block.thinkingSignature);
      if (item) reasoning.push(item);
      else whole = false;
      continue;
    }
    if (block.type === 'text' && block.text === '') continue;
    const id: string | undefined = whole && (reasoned || reasoning.length > 0) ? idOf(block) : undefined;
    if (reasoning.length > 0) {
      whole = id !== undefined;
      if (whole) items.push(...reasoning);
      reasoned = true;
      reasoning = [];
    }
    items.push(block.type === 'text' ? textItem(block, id) : callItem(block, id));
  }
  return items;
}

function idOf(block: TextContent | ToolCall): string | undefined {
  return block.type === 'text' ? readTextSignature(block.textSignature)?.id : splitCallId(block.id).itemId;
}

function textItem({ text, textSignature }: TextContent, id: string | undefined): ResponseInputItem {
  const phase = readTextSignature(textSignature)?.phase;
  const said = phase ? { phase } : {};
  if (id === undefined) return { type: 'message', role: 'assistant', ...said, content: text };
  const content = [{ type: 'output_text' as const, text, annotations: [] }];
  return { type: 'message', role: 'assistant', id, ...said, status: 'completed', content };
}

function callItem(call: ToolCall, id: string | undefined): ResponseFunctionToolCall {
  return {
    type: 'function_call',
    ...(id === undefined ? {} : { id }),
    call_id: accepted(splitCallId(call.id).callId),
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  };
}

function resultOf(message: ToolResultMessage): ResponseInputItem.FunctionCallOutput {
  const parts = message.content.flatMap(givenPart);
  // The format has no word for an error, so it must at least say something.
  if (parts.length === 0 && message.isError)
    parts.push({ type: 'input_text', text: 'The tool failed and said nothing.' });
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  // Not every server that speaks this format takes a list, so it is sent only where an image needs it.
  const output = texts.length === parts.length ? texts.join('\n') : parts;
  return { type: 'function_call_output', call_id: accepted(splitCallId(message.toolCallId).callId), output };
}

function said(text: string): ResponseInputText[] {
  return text === '' ? [] : [{ type: 'input_text', text }];
}

function givenPart(block: TextContent | ImageContent): (ResponseInputText | ResponseInputImage)[] {
  return block.type === 'text' ? said(block.text) : [imageOf(block)];
}

const READABLE = /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,)./i;

/** What cannot be sent becomes a note: a refusal would come back with every later request of the session. */
function imageOf(image: ImageContent): ResponseInputImage | ResponseInputText {
  const given = 'data' in image ? `data:${image.mimeType};base64,${image.data}` : image.source.url;
  const image_url = given.replace(/^data:image\/jpg;/i, 'data:image/jpeg;');
  if (READABLE.test(image_url)) return { type: 'input_image', detail: 'auto', image_url };
  return { type: 'input_text', text: `[An image was left out: ${problemOf(image)}.]` };
}

function problemOf(image: ImageContent): string {
  if (!('data' in image)) return 'only web addresses can be sent to this model';
  return image.data === '' ? 'it is empty' : `this model does not read ${image.mimeType}`;
}
