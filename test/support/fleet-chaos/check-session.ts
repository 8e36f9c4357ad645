// Compares the log of a session with what was acknowledged and with the effects of its tool calls.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { StoredMessage } from './fleet-observer.ts';
import { type Job, toAnswer, toPrompt } from './job-model.ts';

/** The lines that tool calls have written. A number belongs to one call. */
export function readEffects(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

export function findRepeated<T>(values: readonly T[]): T[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

/** Each job is in the log once and is answered once, and each result that was not interrupted belongs to an effect. */
export function checkJobs(messages: readonly StoredMessage[], jobs: readonly Job[], effects: readonly string[]): void {
  const texts = messages.map((message) => JSON.stringify(message));
  for (const job of jobs) {
    expect([job.name, countTexts(texts, 'user', `${toPrompt(job)}"`)]).toEqual([job.name, 1]);
    expect([job.name, countTexts(texts, 'assistant', `${toAnswer(job.name)}"`)]).toEqual([job.name, 1]);
  }
  const numbers = listFinishedCalls(messages);
  const written = new Set(effects.map((line) => line.split(' ').at(-1)));
  expect(numbers.filter((number) => !written.has(number))).toEqual([]);
}

/** The numbers of the calls that were not interrupted. */
export function listFinishedCalls(messages: readonly StoredMessage[]): string[] {
  const finished = messages.filter(({ role, isError }) => role === 'toolResult' && !isError);
  return finished.map(({ toolCallId = '' }) => toolCallId.replace(/^call_/, ''));
}

function countTexts(texts: readonly string[], role: string, text: string): number {
  return texts.filter((line) => line.includes(`"role":"${role}"`) && line.includes(text)).length;
}
