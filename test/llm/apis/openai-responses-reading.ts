// Reads a Responses stream through parser and reader without a network.
import { createParser } from 'eventsource-parser';
import { createReader } from '../../../src/llm/apis/openai-responses/reader.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import type { AssistantMessage, AssistantMessageEvent, Model } from '../../../src/protocol/index.ts';
import { createRequest, gpt } from './openai-responses-fixture.ts';
import { summarizeEvent } from './request-samples.ts';

export interface Reading {
  events: AssistantMessageEvent[];
  /** JSON of the events without their messages. */
  summary: string;
  message: AssistantMessage;
}

export function readStream(frames: readonly string[], model?: Model): Reading {
  return readBytes([Buffer.from(frames.join(''))], model);
}

export function readBytes(chunks: readonly Uint8Array[], model: Model = gpt()): Reading {
  const builder = new MessageBuilder(model, 0);
  const reader = createReader(builder, createRequest(model));
  const events: AssistantMessageEvent[] = [builder.start()];
  const parser = createParser({
    onEvent: (event) => {
      for (const streamEvent of reader.read(event)) events.push(streamEvent);
    },
  });
  const decoder = new TextDecoder();
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  parser.reset({ consume: true });
  const remaining = reader.end();
  let next = remaining.next();
  for (; !next.done; next = remaining.next()) events.push(next.value);
  events.push(builder.finish(next.value));
  return { events, summary: JSON.stringify(events.map(summarizeEvent)), message: builder.message };
}
