// What must hold of any conversation about queues: nothing acknowledged is lost or told twice, and everything is in order.
import { textOf } from '../../src/protocol/index.ts';
import { disorder } from './grammar.ts';
import type { Frame, World } from './world.ts';

type Timeline = World['timeline'];

interface Said {
  readonly text: string;
  readonly command: Frame;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly accepted: boolean;
}

const SAYS = new Set(['prompt', 'steer', 'follow_up', 'abort_and_prompt']);
const STARTS = new Set(['prompt', 'abort_and_prompt']);

/** Everything that is wrong with the conversation. Its last command must have been a clear_queue, when all was quiet. */
export function faultsIn(timeline: Timeline): string[] {
  const events = timeline.filter(({ direction, frame }) => direction === 'out' && !NOT_EVENTS.has(frame.type));
  return [
    ...disorder(events.map(({ frame }) => frame)),
    ...wrongReplies(timeline),
    ...lostOrTwice(timeline),
    ...toldTooEarly(timeline),
    ...badStarts(timeline),
    ...withoutEnd(timeline),
    ...badTurns(timeline),
    ...afterAbort(timeline),
    ...givenAfterStop(timeline),
    ...inverted(timeline),
  ];
}

const NOT_EVENTS = new Set(['response', 'ready']);

function repliesTo(timeline: Timeline, id: unknown): number[] {
  return timeline.flatMap(({ direction, frame }, index) =>
    direction === 'out' && frame.type === 'response' && frame.id === id ? [index] : [],
  );
}

function wrongReplies(timeline: Timeline): string[] {
  return timeline.flatMap(({ direction, frame }) => {
    if (direction !== 'in') return [];
    const count = repliesTo(timeline, frame.id).length;
    return count === 1 ? [] : [`${frame.type} ${frame.id} was answered ${count} times`];
  });
}

function saidIn(timeline: Timeline): Said[] {
  return timeline.flatMap(({ direction, frame }, sentAt) => {
    if (direction !== 'in' || !SAYS.has(frame.type)) return [];
    const answeredAt = repliesTo(timeline, frame.id)[0] ?? -1;
    const accepted = timeline[answeredAt]?.frame.success === true;
    return [{ text: String(frame.message), command: frame, sentAt, answeredAt, accepted }];
  });
}

/** Where each text of a user was told as a whole message. */
function deliveries(timeline: Timeline): { text: string; at: number }[] {
  return timeline.flatMap(({ frame }, at) => {
    const message = frame.message as { role: string; content: { type: string }[] } | undefined;
    if (frame.type !== 'message_end' || message?.role !== 'user') return [];
    return [{ text: textOf(message.content), at }];
  });
}

function takenBack(timeline: Timeline): { text: string; at: number }[] {
  return timeline.flatMap(({ frame }, at) => {
    const data = frame.data as { steering: string[]; followUp: string[] } | undefined;
    if (frame.command !== 'clear_queue' || !data) return [];
    return [...data.steering, ...data.followUp].map((text) => ({ text, at }));
  });
}

function lostOrTwice(timeline: Timeline): string[] {
  const ends = [...deliveries(timeline), ...takenBack(timeline)];
  return saidIn(timeline).flatMap(({ text, accepted }) => {
    const count = ends.filter((end) => end.text === text).length;
    return count === (accepted ? 1 : 0) ? [] : [`${text} (accepted: ${accepted}) came to ${count} ends`];
  });
}

/** Acknowledged first, then told to everyone. */
function toldTooEarly(timeline: Timeline): string[] {
  const said = saidIn(timeline);
  return deliveries(timeline).flatMap(({ text, at }) => {
    const answeredAt = said.find((one) => one.text === text)?.answeredAt ?? -1;
    return answeredAt < at ? [] : [`${text} was acknowledged after it had been told`];
  });
}

/** Every run that begins from rest begins because of a prompt that was acknowledged before: with it, or with what waited before it. */
function badStarts(timeline: Timeline): string[] {
  const said = saidIn(timeline);
  const delivered = deliveries(timeline);
  return freshStarts(timeline).flatMap((start) => {
    const rest = restBefore(timeline, start);
    const first = said.find(({ text }) => text === delivered.find(({ at }) => at > start)?.text);
    const prompt = promptOf(said, rest, start);
    if (!first || !prompt) return [`a run began with ${first?.text}, and without a prompt`];
    const isBehind = said.some((one) => one.accepted && one.sentAt < rest && endOf(timeline, one.text) > start);
    if (first.text !== prompt.text && !isBehind) return [`a run began with ${first.text}`];
    return first.answeredAt < start ? [] : [`${first.text} was acknowledged after its run had begun`];
  });
}

/** Where the session settled last, before this place. */
function restBefore(timeline: Timeline, place: number): number {
  return timeline.slice(0, place).findLastIndex(({ frame }) => frame.type === 'agent_settled');
}

/** The prompt for which a run began. */
function promptOf(said: readonly Said[], rest: number, start: number): Said | undefined {
  return said.find(
    ({ command, accepted, answeredAt }) =>
      accepted && STARTS.has(command.type) && answeredAt > rest && answeredAt < start,
  );
}

/** A message that waited when the session settled is delivered before every prompt that was sent later. */
function inverted(timeline: Timeline): string[] {
  const said = saidIn(timeline).filter(({ accepted }) => accepted);
  return freshStarts(timeline).flatMap((start) => {
    const rest = restBefore(timeline, start);
    const prompt = promptOf(said, rest, start);
    const delivered = deliveries(timeline).find(({ text }) => text === prompt?.text)?.at;
    if (!prompt || delivered === undefined || rest < 0) return [];
    const waiting = said.filter(({ text, answeredAt }) => answeredAt < rest && endOf(timeline, text) > start);
    const late = waiting.filter(({ text }) => endOf(timeline, text) > delivered);
    return late.map(({ text }) => `${prompt.text} overtook ${text}, which had waited before it`);
  });
}

function freshStarts(timeline: Timeline): number[] {
  let isAtRest = true;
  return timeline.flatMap(({ frame }, index) => {
    if (frame.type === 'agent_settled') isAtRest = true;
    if (frame.type !== 'agent_start') return [];
    const isFresh = isAtRest;
    isAtRest = false;
    return isFresh ? [index] : [];
  });
}

/** Whoever was told that a prompt is accepted will hear the session settle. */
function withoutEnd(timeline: Timeline): string[] {
  const last = timeline.findLastIndex(({ frame }) => frame.type === 'agent_settled');
  return saidIn(timeline)
    .filter(({ command, accepted, answeredAt }) => accepted && STARTS.has(command.type) && answeredAt > last)
    .map(({ text }) => `${text} was acknowledged, and nothing ended after that`);
}

interface Turn {
  readonly start: number;
  readonly texts: readonly string[];
}

function turnsOf(timeline: Timeline): Turn[] {
  const delivered = deliveries(timeline);
  const starts = timeline.flatMap(({ frame }, index) => (frame.type === 'turn_start' ? [index] : []));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? timeline.length;
    return { start, texts: delivered.filter(({ at }) => at > start && at < end).map(({ text }) => text) };
  });
}

/** How a message came to the model: as the prompt of a run, or through one of the queues. A prompt behind others follows up. */
function kindsOf(timeline: Timeline): Map<string, 'prompt' | 'steer' | 'followUp'> {
  const delivered = deliveries(timeline);
  const said = saidIn(timeline);
  const kinds = new Map<string, 'prompt' | 'followUp'>();
  for (const start of freshStarts(timeline)) {
    const prompt = promptOf(said, restBefore(timeline, start), start)?.text;
    const opens = delivered.find(({ at }) => at > start)?.text === prompt;
    if (prompt !== undefined) kinds.set(prompt, opens ? 'prompt' : 'followUp');
  }
  return new Map(
    said.map(({ text, command }) => {
      const kind = kinds.get(text);
      if (kind) return [text, kind];
      const isSteering = command.type === 'steer' || command.streamingBehavior === 'steer';
      return [text, isSteering ? 'steer' : 'followUp'];
    }),
  );
}

/** Steering before follow-ups, never both in one turn, each queue in the order in which it was filled. */
function badTurns(timeline: Timeline): string[] {
  const kinds = kindsOf(timeline);
  const said = saidIn(timeline);
  const found: string[] = [];
  const turns = turnsOf(timeline);
  const openings = new Set(freshStarts(timeline).map((place) => turns.find(({ start }) => start > place)?.start));
  for (const { start, texts } of turns) {
    const shape = texts.map((text) => kinds.get(text)?.[0]).join('');
    // Steering that an aborted run left goes in front of the prompt.
    if (!(openings.has(start) ? /^(p?s*|s+f|f+)$/ : /^(s*|f+)$/).test(shape)) found.push(`a turn was given ${shape}`);
    if (shape.includes('ss') && isOneAtATime(timeline, 'set_steering_mode', start)) found.push('two steered one turn');
    if (shape.includes('ff') && isOneAtATime(timeline, 'set_follow_up_mode', start)) found.push('two followed at once');
    if (!shape.includes('f')) continue;
    // What a run from rest begins with is taken when its prompt is acknowledged.
    const taken = openings.has(start) ? (promptOf(said, restBefore(timeline, start), start)?.answeredAt ?? 0) : start;
    const waiting = said.filter((one) => kinds.get(one.text) === 'steer' && one.accepted && one.answeredAt < taken);
    const late = waiting.filter(({ text }) => endOf(timeline, text) > start && !texts.includes(text));
    for (const { text } of late) found.push(`${texts[0]} overtook the steering message ${text}`);
  }
  for (const kind of ['steer', 'followUp'] as const) {
    const order = said.filter(({ text }) => kinds.get(text) === kind).map(({ text }) => text);
    const told = deliveries(timeline)
      .map(({ text }) => text)
      .filter((text) => kinds.get(text) === kind);
    const sorted = [...told].sort((a, b) => order.indexOf(a) - order.indexOf(b));
    if (sorted.join() !== told.join()) found.push(`${kind} messages came as ${told}`);
  }
  return found;
}

/** Nobody has asked for anything else so far. */
function isOneAtATime(timeline: Timeline, command: string, before: number): boolean {
  return !timeline.slice(0, before).some(({ frame }) => frame.type === command && frame.mode === 'all');
}

function endOf(timeline: Timeline, text: string): number {
  const end = [...deliveries(timeline), ...takenBack(timeline)].find((one) => one.text === text);
  return end?.at ?? Number.POSITIVE_INFINITY;
}

/** When an abort is answered, no run is going that had begun before it was sent. */
function afterAbort(timeline: Timeline): string[] {
  return timeline.flatMap(({ direction, frame }, sentAt) => {
    if (direction !== 'in' || frame.type !== 'abort') return [];
    const answeredAt = repliesTo(timeline, frame.id)[0] ?? timeline.length;
    const before = timeline.slice(0, answeredAt);
    const start = before.findLastIndex((step) => step.frame.type === 'agent_start');
    const end = before.findLastIndex((step) => step.frame.type === 'agent_settled');
    return start > end && start < sentAt ? [`abort ${frame.id} was answered inside the run`] : [];
  });
}

/** A run that was told to stop takes nothing more from the queues: what waits there waits for the next prompt. */
function givenAfterStop(timeline: Timeline): string[] {
  return timeline.flatMap(({ frame }, stop) => {
    if (frame.type !== 'stopped') return [];
    // What a further run begins with is taken just before it is announced.
    if (timeline[stop - 1]?.frame.type === 'agent_start') return [];
    const rest = timeline.slice(stop);
    const settled = rest.findIndex((step) => step.frame.type === 'agent_settled');
    const late = turnsOf(rest.slice(0, settled < 0 ? undefined : settled)).flatMap(({ texts }) => texts);
    return late.map((text) => `${text} was given to a run that had been stopped`);
  });
}
