// The log of frames, its filter, and frames that are copied as curl commands and as transcripts.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runScenario } from '../../src/testing/index.ts';
import { toCurl, toTranscript } from '../../web/src/frames/copy-frames.ts';
import { FrameLog, filterFrames, listTypes } from '../../web/src/frames/frame-log.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { assistant, attached, user } from './frames.ts';

type Direction = 'in' | 'out';

function createLog(frames: readonly (readonly [Direction, object])[]): FrameLog {
  const log = new FrameLog();
  for (const [direction, frame] of frames) log.add(direction, frame, JSON.stringify(frame), 0);
  return log;
}

describe('the log', () => {
  const log = createLog([
    ['in', attached()],
    ['out', { id: 'page_1', type: 'prompt', message: 'Needle' }],
    ['in', { type: 'response', id: 'page_1', command: 'prompt', success: true }],
    ['in', { type: 'message_update', seq: 4, assistantMessageEvent: { type: 'text_delta', delta: 'needle' } }],
  ]);
  const find = (filter: object) =>
    filterFrames(log.frames, { text: '', direction: 'all', type: '', ...filter }).map(({ id }) => id);

  test('filters by text, direction and type', () => {
    expect(find({})).toEqual([1, 2, 3, 4]);
    expect(find({ text: ' NEEDLE ' })).toEqual([2, 4]);
    expect(find({ direction: 'out' })).toEqual([2]);
    expect(find({ type: 'message_update' })).toEqual([4]);
    expect(find({ type: 'message_update · text_delta', text: 'zz' })).toEqual([]);
    expect(listTypes(log.frames)).toEqual(['message_update', 'prompt', 'response', 'session_attached']);
  });

  test('forgets the oldest frames when there are too many, or too much text', () => {
    const many = createLog(Array.from({ length: 7000 }, (_, at) => ['in', { type: 'x', at }] as const));
    expect(many.frames.length).toBeLessThanOrEqual(5500);
    expect(many.frames.at(-1)?.id).toBe(7000);
    const large = createLog(Array.from({ length: 30 }, () => ['in', { type: 'x'.repeat(1_000_000) }] as const));
    expect(large.frames.length).toBeLessThan(13);
    expect(large.count).toBe(30);
  });
});

describe('curl', () => {
  const address = { origin: 'http://127.0.0.1:7420', sessionId: 's 1' };
  /** What the shell passes to curl. */
  const run = (direction: Direction, frame: object): string[] => {
    const command = toCurl({ direction, text: JSON.stringify(frame) }, address);
    const script = `curl() { for arg in "$@"; do printf '%s\\0' "$arg"; done; }; PARLEY_TOKEN=T; ${command}`;
    return execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1);
  };
  const base = 'http://127.0.0.1:7420/v1/sessions/s%201';
  const token = ['-H', 'Authorization: Bearer T'];

  test('a sent frame is a call of its command, also with quotes in it', () => {
    const body = { message: `It's "quoted" $HOME \`x\`\n` };
    expect(run('out', { id: '1', type: 'prompt', ...body })).toEqual([
      ...['-s', '-X', 'POST', ...token, '-H', 'Content-Type: application/json', '-d', JSON.stringify(body)],
      `${base}/commands/prompt`,
    ]);
    expect(run('out', { id: '1', type: 'abort' })).toEqual(['-s', '-X', 'POST', ...token, `${base}/commands/abort`]);
  });

  test('an answer to a dialog, a reply and an event have their own addresses', () => {
    expect(run('out', { type: 'extension_ui_response', id: 'q/1', value: 'allow' }).slice(-2)).toEqual([
      ...['{"value":"allow"}', `${base}/dialogs/q%2F1`],
    ]);
    expect(run('in', { type: 'response', id: '1', command: 'get_state', success: true }).at(-1)).toBe(
      `${base}/commands/get_state`,
    );
    expect(run('in', { type: 'agent_start', seq: 12 })).toEqual(['-sN', ...token, `${base}/events?after=11`]);
  });
});

describe('transcript', () => {
  const call = { type: 'toolCall', id: 'c1', name: 'write', arguments: { path: 'a.txt', content: 'A' } };
  const answer = {
    ...assistant('Writing.'),
    content: [{ type: 'text', text: 'Writing.' }, call],
    stopReason: 'toolUse',
  };
  const question = { method: 'select', toolCall: { toolCallId: 'c1', toolName: 'write' } };
  const exchange: readonly (readonly [Direction, object])[] = [
    ['in', attached()],
    ['out', { id: 'page_1', type: 'set_permission_mode', mode: 'ask' }],
    ['in', { type: 'response', id: 'page_1', command: 'set_permission_mode', success: true, data: { mode: 'ask' } }],
    ['in', { type: 'state_changed', seq: 10, state: {} }],
    ['out', { id: 'page_2', type: 'prompt', message: 'Write it' }],
    ['in', { type: 'response', id: 'page_2', command: 'prompt', success: true }],
    ['in', { type: 'agent_start', seq: 11, client: 'page' }],
    ['in', { type: 'message_end', seq: 12, message: user('Write it') }],
    ['in', { type: 'message_update', seq: 13, assistantMessageEvent: { type: 'text_delta', delta: 'Writing.' } }],
    ['in', { type: 'message_end', seq: 14, message: answer }],
    ['in', { type: 'extension_ui_request', id: 'ui_77', ...question }],
    ['out', { type: 'extension_ui_response', id: 'ui_77', value: 'allow' }],
    ['in', { type: 'tool_execution_end', seq: 15, toolCallId: 'c1', toolName: 'write', isError: false }],
    ['in', { type: 'message_end', seq: 16, message: assistant('Done.') }],
    ['in', { type: 'agent_settled', seq: 17, aborted: false }],
  ];

  test('can be run: the answers of the model are its script', async () => {
    const text = toTranscript(createLog(exchange).frames);
    await runScenario(text, { directory: createTemporaryDirectory(), dialect: 'omp', file: 'copied.txt' });
    expect(text).toContain('model {"text":"Writing.","calls":[{"id":"c1"');
    expect(text).toContain('> {"type":"extension_ui_response","id":"$q1","value":"allow"}');
    expect(text).not.toMatch(/"seq"|"client"|session_attached|state_changed|message_update|"timestamp"/);
  });
});
