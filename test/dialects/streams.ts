// Generates random message streams. All events share one message object that changes during the stream.
import fc from 'fast-check';
import { type AssistantMessage, createEmptyUsage, type StreamEvent } from '../../src/protocol/index.ts';

type Block = AssistantMessage['content'][number];

export interface BlockScript {
  kind: 'text' | 'thinking' | 'toolCall';
  deltas: string[];
  /** Sent with the end of the block, like providers do. */
  signature: string | undefined;
}

export interface StreamScript {
  blocks: BlockScript[];
  /** At these steps the usage object is replaced. */
  usageAt: number[];
  /** Which of the open blocks continues at each step; empty for blocks one after another. */
  order: number[];
}

/** Single UTF-16 code units, because providers may split surrogate pairs. */
const unit = fc.oneof(
  fc.constantFrom('a', 'é', '"', '\\', '\n', '\u0000', '\u2028', '\u2029', '\ud83d', '\ude00', '😀'),
  fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
);
export const deltaText = fc.array(unit, { maxLength: 6 }).map((units) => units.join(''));

const block: fc.Arbitrary<BlockScript> = fc.record({
  kind: fc.constantFrom('text', 'thinking', 'toolCall'),
  deltas: fc.array(deltaText, { maxLength: 6 }),
  signature: fc.option(deltaText, { nil: undefined }),
});

const blocks = fc.array(block, { minLength: 1, maxLength: 5 });
const usageAt = fc.array(fc.nat({ max: 30 }), { maxLength: 4 });

export const serialStream: fc.Arbitrary<StreamScript> = fc.record({ blocks, usageAt, order: fc.constant([]) });
export const interleavedStream: fc.Arbitrary<StreamScript> = fc.record({
  blocks,
  usageAt,
  order: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 60 }),
});

/** Shared by all calls until their arguments are parsed, like some stream parsers do. */
const NO_ARGUMENTS = Object.freeze({});

export function* generateEvents({ blocks, usageAt, order }: StreamScript): Generator<StreamEvent> {
  const message: AssistantMessage = {
    role: 'assistant',
    content: [],
    api: 'wire',
    provider: 'provider',
    model: 'one\u2028',
    usage: createEmptyUsage(),
    stopReason: 'stop',
    timestamp: 5,
  };
  const open: Iterator<StreamEvent>[] = [];
  const waiting = [...blocks];
  for (let step = 0; waiting.length > 0 || open.length > 0; step++) {
    if (usageAt.includes(step)) message.usage = { ...createEmptyUsage(), output: step };
    const choice = order[step % order.length] ?? 0;
    // An index after the open blocks starts the next block.
    const at = order.length === 0 ? 0 : choice % (open.length + Math.sign(waiting.length));
    const next = waiting[0];
    if (next && at >= open.length) {
      waiting.shift();
      open.push(generateBlockEvents(next, message));
    }
    const event = open[at]?.next();
    if (event?.done === false) yield event.value;
    else open.splice(at, 1);
  }
}

function* generateBlockEvents(script: BlockScript, partial: AssistantMessage): Generator<StreamEvent> {
  const contentIndex = partial.content.length;
  const name = script.kind === 'toolCall' ? 'toolcall' : script.kind;
  const block = createBlock(script, contentIndex);
  partial.content.push(block);
  yield { type: `${name}_start`, contentIndex, partial } as StreamEvent;
  for (const [index, delta] of script.deltas.entries()) {
    appendDelta(block, delta, index);
    yield { type: `${name}_delta`, contentIndex, delta, partial } as StreamEvent;
  }
  setSignature(block, script.signature);
  const last = block.type === 'toolCall' ? { toolCall: block } : { content: getBlockText(block) };
  yield { type: `${name}_end`, contentIndex, ...last, partial } as StreamEvent;
}

function createBlock({ kind }: BlockScript, index: number): Block {
  if (kind === 'text') return { type: 'text', text: '' };
  if (kind === 'thinking') return { type: 'thinking', thinking: '' };
  return { type: 'toolCall', id: `call_${index}`, name: 'read', arguments: NO_ARGUMENTS };
}

function appendDelta(block: Block, delta: string, index: number): void {
  if (block.type === 'text') block.text += delta;
  else if (block.type === 'thinking') block.thinking += delta;
  // The arguments are parsed again only at some deltas.
  else if (index % 2 === 1 && delta !== '') block.arguments = { ...block.arguments, [`key${index}`]: delta };
}

function setSignature(block: Block, signature: string | undefined): void {
  if (signature === undefined) return;
  if (block.type === 'text') block.textSignature = signature;
  else if (block.type === 'thinking') block.thinkingSignature = signature;
  else block.thoughtSignature = signature;
}

function getBlockText(block: Block): string {
  if (block.type === 'text') return block.text;
  return block.type === 'thinking' ? block.thinking : '';
}
