// Reads a Responses stream without a network: the bytes as they might arrive, through the parser, into events and a message.
import { createParser } from 'eventsource-parser';
import { createReader } from '../../../src/llm/apis/openai-responses/reader.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import type { AssistantMessage, AssistantMessageEvent, Model } from '../../../src/protocol/index.ts';
import { bare, gpt, requestFor } from './openai-responses-stage.ts';

export interface Reading {
  events: AssistantMessageEvent[];
  /** The same without their messages, as text. */
  seen: string;
  message: AssistantMessage;
}

export function readStream(frames: readonly string[], model?: Model): Reading {
  return readBytes([Buffer.from(frames.join(''))], model);
}

export function readBytes(chunks: readonly Uint8Array[], model: Model = gpt()): Reading {
  const builder = new MessageBuilder(model, 0);
  const reader = createReader(builder, requestFor(model));
  const events: AssistantMessageEvent[] = [builder.start()];
  const parser = createParser({
    onEvent: (event) => {
      for (const grown of reader.read(event)) events.push(grown);
    },
  });
  const decoder = new TextDecoder();
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  parser.reset({ consume: true });
  const rest = reader.end();
  let next = rest.next();
  for (; !next.done; next = rest.next()) events.push(next.value);
  events.push(builder.finish(next.value));
  return { events, seen: JSON.stringify(events.map(bare)), message: builder.message };
}
