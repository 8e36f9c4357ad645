// Checks a recorded timeline: accepted messages are neither lost nor delivered twice, and everything is in order.
import { extractText } from '../../src/protocol/index.ts';
import { findOrderErrors } from './event-order.ts';
import type { Frame, Harness } from './harness.ts';

type Timeline = Harness['timeline'];

/** A command with a message. All positions are indexes of the timeline. */
interface SentMessage {
  readonly text: string;
  readonly command: Frame;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly accepted: boolean;
}

const MESSAGE_COMMANDS = new Set(['prompt', 'steer', 'follow_up', 'abort_and_prompt']);
const RUN_COMMANDS = new Set(['prompt', 'abort_and_prompt']);

/** Finds all errors of a timeline. Its last command must be a clear_queue that was sent when the session was idle. */
export function findTimelineErrors(timeline: Timeline): string[] {
  const events = timeline.filter(({ direction, frame }) => direction === 'out' && !NOT_EVENTS.has(frame.type));
  return [
    ...findOrderErrors(events.map(({ frame }) => frame)),
    ...findWrongReplyCounts(timeline),
    ...findLostOrDuplicated(timeline),
    ...findDeliveredBeforeReply(timeline),
    ...findWrongRunStarts(timeline),
    ...findRunsWithoutEnd(timeline),
    ...findWrongTurns(timeline),
    ...findRunsAfterAbort(timeline),
    ...findDeliveredAfterStop(timeline),
    ...findOvertakenMessages(timeline),
    ...findWrongPromptResults(timeline),
    ...findWrongSessionSettled(timeline),
  ];
}

const NOT_EVENTS = new Set(['response', 'ready', 'prompt_result', 'session_settled']);

function findReplies(timeline: Timeline, id: unknown): number[] {
  return timeline.flatMap(({ direction, frame }, index) =>
    direction === 'out' && frame.type === 'response' && frame.id === id ? [index] : [],
  );
}

function findWrongReplyCounts(timeline: Timeline): string[] {
  return timeline.flatMap(({ direction, frame }) => {
    if (direction !== 'in') return [];
    const count = findReplies(timeline, frame.id).length;
    return count === 1 ? [] : [`${frame.type} ${frame.id} has ${count} replies`];
  });
}

function getSentMessages(timeline: Timeline): SentMessage[] {
  return timeline.flatMap(({ direction, frame }, sentAt) => {
    if (direction !== 'in' || !MESSAGE_COMMANDS.has(frame.type)) return [];
    const answeredAt = findReplies(timeline, frame.id)[0] ?? -1;
    const accepted = timeline[answeredAt]?.frame.success === true;
    return [{ text: String(frame.message), command: frame, sentAt, answeredAt, accepted }];
  });
}

/** The message_end events of user messages. */
function getDeliveries(timeline: Timeline): { text: string; at: number }[] {
  return timeline.flatMap(({ frame }, at) => {
    const message = frame.message as { role: string; content: { type: string }[] } | undefined;
    if (frame.type !== 'message_end' || message?.role !== 'user') return [];
    return [{ text: extractText(message.content), at }];
  });
}

/** The messages that clear_queue returned. */
function getCleared(timeline: Timeline): { text: string; at: number }[] {
  return timeline.flatMap(({ frame }, at) => {
    const data = frame.data as { steering: string[]; followUp: string[] } | undefined;
    if (frame.command !== 'clear_queue' || !data) return [];
    return [...data.steering, ...data.followUp].map((text) => ({ text, at }));
  });
}

/** An accepted message is delivered or cleared exactly once; a refused one never. */
function findLostOrDuplicated(timeline: Timeline): string[] {
  const outcomes = [...getDeliveries(timeline), ...getCleared(timeline)];
  return getSentMessages(timeline).flatMap(({ text, accepted }) => {
    const count = outcomes.filter((outcome) => outcome.text === text).length;
    return count === (accepted ? 1 : 0)
      ? []
      : [`${text} (accepted: ${accepted}) was delivered or cleared ${count} times`];
  });
}

/** A message is acknowledged before its events are sent. */
function findDeliveredBeforeReply(timeline: Timeline): string[] {
  const messages = getSentMessages(timeline);
  return getDeliveries(timeline).flatMap(({ text, at }) => {
    const answeredAt = messages.find((message) => message.text === text)?.answeredAt ?? -1;
    return answeredAt < at ? [] : [`${text} was acknowledged after its delivery`];
  });
}

/** Every first run after an idle session starts after an acknowledged prompt: with that prompt, or with messages queued before it. */
function findWrongRunStarts(timeline: Timeline): string[] {
  const messages = getSentMessages(timeline);
  const deliveries = getDeliveries(timeline);
  return findFirstRunStarts(timeline).flatMap((start) => {
    const settledAt = findLastSettled(timeline, start);
    const first = messages.find(({ text }) => text === deliveries.find(({ at }) => at > start)?.text);
    const prompt = findStartingPrompt(messages, settledAt, start);
    if (!first || !prompt) return [`a run started with ${first?.text} and without a prompt`];
    const hasQueued = messages.some(
      (message) => message.accepted && message.sentAt < settledAt && getOutcomeAt(timeline, message.text) > start,
    );
    if (first.text !== prompt.text && !hasQueued) return [`a run started with ${first.text}`];
    return first.answeredAt < start ? [] : [`${first.text} was acknowledged after the start of its run`];
  });
}

/** Index of the last agent_settled before `index`. */
function findLastSettled(timeline: Timeline, index: number): number {
  return timeline.slice(0, index).findLastIndex(({ frame }) => frame.type === 'agent_settled');
}

/** The prompt that started the run at `start`. */
function findStartingPrompt(
  messages: readonly SentMessage[],
  settledAt: number,
  start: number,
): SentMessage | undefined {
  return messages.find(
    ({ command, accepted, answeredAt }) =>
      accepted && RUN_COMMANDS.has(command.type) && answeredAt > settledAt && answeredAt < start,
  );
}

/** A message that was queued when the session settled is delivered before every later prompt. */
function findOvertakenMessages(timeline: Timeline): string[] {
  const messages = getSentMessages(timeline).filter(({ accepted }) => accepted);
  return findFirstRunStarts(timeline).flatMap((start) => {
    const settledAt = findLastSettled(timeline, start);
    const prompt = findStartingPrompt(messages, settledAt, start);
    const deliveredAt = getDeliveries(timeline).find(({ text }) => text === prompt?.text)?.at;
    if (!prompt || deliveredAt === undefined || settledAt < 0) return [];
    const queued = messages.filter(
      ({ text, answeredAt }) => answeredAt < settledAt && getOutcomeAt(timeline, text) > start,
    );
    const late = queued.filter(({ text }) => getOutcomeAt(timeline, text) > deliveredAt);
    return late.map(({ text }) => `${prompt.text} was delivered before ${text}, which was queued earlier`);
  });
}

/** Indexes of the agent_start events that are the first ones after the session has settled. */
function findFirstRunStarts(timeline: Timeline): number[] {
  let isSettled = true;
  return timeline.flatMap(({ frame }, index) => {
    if (frame.type === 'agent_settled') isSettled = true;
    if (frame.type !== 'agent_start') return [];
    const isFirst = isSettled;
    isSettled = false;
    return isFirst ? [index] : [];
  });
}

/** After an accepted prompt the session settles. */
function findRunsWithoutEnd(timeline: Timeline): string[] {
  const lastSettled = timeline.findLastIndex(({ frame }) => frame.type === 'agent_settled');
  return getSentMessages(timeline)
    .filter(
      ({ command, accepted, answeredAt }) => accepted && RUN_COMMANDS.has(command.type) && answeredAt > lastSettled,
    )
    .map(({ text }) => `${text} was acknowledged, and the session did not settle after it`);
}

interface Turn {
  readonly start: number;
  readonly texts: readonly string[];
}

function getTurns(timeline: Timeline): Turn[] {
  const deliveries = getDeliveries(timeline);
  const starts = timeline.flatMap(({ frame }, index) => (frame.type === 'turn_start' ? [index] : []));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? timeline.length;
    return { start, texts: deliveries.filter(({ at }) => at > start && at < end).map(({ text }) => text) };
  });
}

/** How each message is delivered: as the prompt of a run, or through one of the queues. A prompt after queued messages counts as a follow-up. */
function getKinds(timeline: Timeline): Map<string, 'prompt' | 'steer' | 'followUp'> {
  const deliveries = getDeliveries(timeline);
  const messages = getSentMessages(timeline);
  const promptKinds = new Map<string, 'prompt' | 'followUp'>();
  for (const start of findFirstRunStarts(timeline)) {
    const prompt = findStartingPrompt(messages, findLastSettled(timeline, start), start)?.text;
    const isFirst = deliveries.find(({ at }) => at > start)?.text === prompt;
    if (prompt !== undefined) promptKinds.set(prompt, isFirst ? 'prompt' : 'followUp');
  }
  return new Map(
    messages.map(({ text, command }) => {
      const kind = promptKinds.get(text);
      if (kind) return [text, kind];
      const isSteering = command.type === 'steer' || command.streamingBehavior === 'steer';
      return [text, isSteering ? 'steer' : 'followUp'];
    }),
  );
}

/** Steering messages come before follow-ups, never both in one turn, and each queue keeps its order. */
function findWrongTurns(timeline: Timeline): string[] {
  const kinds = getKinds(timeline);
  const messages = getSentMessages(timeline);
  const errors: string[] = [];
  const turns = getTurns(timeline);
  const firstTurns = new Set(
    findFirstRunStarts(timeline).map((index) => turns.find(({ start }) => start > index)?.start),
  );
  for (const { start, texts } of turns) {
    const pattern = texts.map((text) => kinds.get(text)?.[0]).join('');
    // Steering messages that an aborted run left in the queue are delivered before the prompt.
    if (!(firstTurns.has(start) ? /^(p?s*|s+f|f+)$/ : /^(s*|f+)$/).test(pattern))
      errors.push(`a turn received the messages ${pattern}`);
    if (pattern.includes('ss') && isOneAtATime(timeline, 'set_steering_mode', start))
      errors.push('two steering messages in one turn');
    if (pattern.includes('ff') && isOneAtATime(timeline, 'set_follow_up_mode', start))
      errors.push('two follow-ups in one turn');
    if (!pattern.includes('f')) continue;
    // The first messages after an idle session are taken from the queue when the prompt is acknowledged.
    const takenAt = firstTurns.has(start)
      ? (findStartingPrompt(messages, findLastSettled(timeline, start), start)?.answeredAt ?? 0)
      : start;
    const queued = messages.filter(
      (message) => kinds.get(message.text) === 'steer' && message.accepted && message.answeredAt < takenAt,
    );
    const late = queued.filter(({ text }) => getOutcomeAt(timeline, text) > start && !texts.includes(text));
    for (const { text } of late) errors.push(`${texts[0]} was delivered before the steering message ${text}`);
  }
  for (const kind of ['steer', 'followUp'] as const) {
    const sentOrder = messages.filter(({ text }) => kinds.get(text) === kind).map(({ text }) => text);
    const delivered = getDeliveries(timeline)
      .map(({ text }) => text)
      .filter((text) => kinds.get(text) === kind);
    const sorted = [...delivered].sort((a, b) => sentOrder.indexOf(a) - sentOrder.indexOf(b));
    if (sorted.join() !== delivered.join()) errors.push(`${kind} messages were delivered as ${delivered}`);
  }
  return errors;
}

/** The mode has not been set to `all` before this index. */
function isOneAtATime(timeline: Timeline, command: string, before: number): boolean {
  return !timeline.slice(0, before).some(({ frame }) => frame.type === command && frame.mode === 'all');
}

/** Index at which a message was delivered or cleared. */
function getOutcomeAt(timeline: Timeline, text: string): number {
  const outcome = [...getDeliveries(timeline), ...getCleared(timeline)].find((candidate) => candidate.text === text);
  return outcome?.at ?? Number.POSITIVE_INFINITY;
}

/** An accepted prompt has one prompt_result: after its reply, and after the agent_settled that follows its delivery. */
function findWrongPromptResults(timeline: Timeline): string[] {
  const cleared = new Set(getCleared(timeline).map(({ text }) => text));
  const prompts = getSentMessages(timeline).filter(({ command }) => RUN_COMMANDS.has(command.type));
  return prompts.flatMap(({ text, command, accepted, answeredAt }) => {
    const at = timeline.findIndex(({ frame }) => frame.type === 'prompt_result' && frame.id === command.id);
    const count = timeline.filter(({ frame }) => frame.type === 'prompt_result' && frame.id === command.id).length;
    if (count !== (accepted ? 1 : 0)) return [`${text} (accepted: ${accepted}) has ${count} prompt results`];
    if (!accepted) return [];
    const { agentInvoked, status } = (timeline[at] as Timeline[number]).frame;
    if (cleared.has(text)) return agentInvoked || status !== 'aborted' ? [`${text} was cleared, but ${status}`] : [];
    const deliveredAt = getOutcomeAt(timeline, text);
    const settledAt = timeline.findIndex(({ frame }, index) => index > deliveredAt && frame.type === 'agent_settled');
    const isInOrder = answeredAt < at && settledAt < at && agentInvoked;
    const isFirstEvent = timeline.slice(settledAt + 1, at).every(({ frame }) => frame.type !== 'agent_start');
    return isInOrder && isFirstEvent ? [] : [`the prompt result of ${text} is at ${at}, settled at ${settledAt}`];
  });
}

/** session_settled comes once after the last run, and every result that says so is followed by one before the next run. */
function findWrongSessionSettled(timeline: Timeline): string[] {
  const types = timeline.map(({ frame }) => frame.type);
  const errors: string[] = [];
  for (const [index, { frame }] of timeline.entries()) {
    if (
      frame.type === 'session_settled' &&
      types.lastIndexOf('agent_start', index) > types.lastIndexOf('agent_settled', index)
    )
      errors.push('session_settled was sent during a run');
    if (frame.type !== 'prompt_result' || !frame.agentInvoked) continue;
    const nextStart = types.indexOf('agent_start', index);
    const nextSettled = types.indexOf('session_settled', index);
    const followsDirectly = nextSettled >= 0 && (nextStart < 0 || nextSettled < nextStart);
    if (frame.sessionSettled && !followsDirectly) errors.push(`no session_settled after the result of ${frame.id}`);
  }
  if (types.lastIndexOf('session_settled') < types.lastIndexOf('agent_settled'))
    errors.push('no session_settled after the last run');
  return errors;
}

/** When an abort is answered, no run that started before the abort is in progress. */
function findRunsAfterAbort(timeline: Timeline): string[] {
  return timeline.flatMap(({ direction, frame }, sentAt) => {
    if (direction !== 'in' || frame.type !== 'abort') return [];
    const answeredAt = findReplies(timeline, frame.id)[0] ?? timeline.length;
    const before = timeline.slice(0, answeredAt);
    const start = before.findLastIndex((step) => step.frame.type === 'agent_start');
    const end = before.findLastIndex((step) => step.frame.type === 'agent_settled');
    return start > end && start < sentAt ? [`abort ${frame.id} was answered during the run`] : [];
  });
}

/** A stopped run takes no more messages from the queues: they wait for the next prompt. */
function findDeliveredAfterStop(timeline: Timeline): string[] {
  return timeline.flatMap(({ frame }, stop) => {
    if (frame.type !== 'stopped') return [];
    // The first messages of a further run are taken from the queue just before its agent_start.
    if (timeline[stop - 1]?.frame.type === 'agent_start') return [];
    const rest = timeline.slice(stop);
    const settled = rest.findIndex((step) => step.frame.type === 'agent_settled');
    const late = getTurns(rest.slice(0, settled < 0 ? undefined : settled)).flatMap(({ texts }) => texts);
    return late.map((text) => `${text} was delivered to a stopped run`);
  });
}
