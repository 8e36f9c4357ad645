// What the model is asked for, and how its answer becomes the summary that is kept.
import { describe, expect, test } from 'vitest';
import { fileDetails, finished, historyRequest, prefixRequest } from '../../../src/core/compaction/summary.ts';
import { builtinTools as tools } from '../../../src/tools/index.ts';
import { assistant, bash, call, result, text, user } from '../entries.ts';

const conversationIn = (request: string) => /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(request)?.[1];

describe('the request', () => {
  test('labels who said what', () => {
    const request = historyRequest(
      [
        user([text('question')]),
        assistant([
          { type: 'thinking', thinking: 'hm' },
          text('answer'),
          call('1', 'read', { path: 'a.txt', limit: 3 }),
          call('2', 'ls'),
        ]),
        result('1', 'content'),
        bash('make', 'ok'),
        bash('secret', 'hidden', { excludeFromContext: true }),
        { role: 'custom', customType: 'note', content: 'a note', display: true, timestamp: 0 },
        { role: 'branchSummary', summary: 'elsewhere', fromId: 'e1', timestamp: 0 },
      ],
      undefined,
      undefined,
    );
    expect(conversationIn(request)).toBe(
      [
        '[User]: question',
        '[Assistant thinking]: hm',
        '[Assistant]: answer',
        '[Assistant tool calls]: read(path="a.txt", limit=3); ls()',
        '[Tool result]: content',
        '[User]: Ran `make`\nok',
        '[User]: a note',
        '[User]: elsewhere',
      ].join('\n\n'),
    );
  });

  test('cuts results and arguments to 2000 characters and says how much is missing', () => {
    const request = historyRequest(
      [
        assistant([call('1', 'write', { content: 'y'.repeat(5000) })]),
        result('1', 'x'.repeat(2001)),
        result('2', 'z'.repeat(2000)),
        bash('ls', 'o'.repeat(3000)),
      ],
      undefined,
      undefined,
    );
    expect(request).toContain(`[Tool result]: ${'x'.repeat(2000)}\n… (1 more characters)`);
    expect(request).toContain(`[Tool result]: ${'z'.repeat(2000)}\n\n`);
    expect(request).not.toContain('y'.repeat(2001));
    expect(request).not.toContain('o'.repeat(2001));
  });

  test('a long prompt of the user is not cut', () => {
    expect(historyRequest([user('u'.repeat(9000))], undefined, undefined)).toContain('u'.repeat(9000));
  });

  test('asks for the sections, in order', () => {
    const sections = ['Goal', 'Constraints & Preferences', 'Progress', 'Done', 'In Progress', 'Blocked'];
    const request = historyRequest([user('a')], undefined, undefined);
    const places = [...sections, 'Key Decisions', 'Next Steps', 'Critical Context'].map((name) =>
      request.search(new RegExp(`^##+ ${name}$`, 'm')),
    );
    expect(places.every((place, i) => place > (places[i - 1] ?? 0))).toBe(true);
  });

  test('gives the summary before to be carried on, and the focus last', () => {
    const request = historyRequest([user('a')], 'earlier', 'the parser');
    expect(request).toContain('<previous-summary>\nearlier\n</previous-summary>');
    expect(request.endsWith('Additional focus: the parser')).toBe(true);
    expect(historyRequest([user('a')], undefined, undefined)).not.toMatch(/previous-summary|Additional focus/);
    expect(prefixRequest([user('a')], 'the parser').endsWith('Additional focus: the parser')).toBe(true);
  });
});

describe('the files', () => {
  const touched = (name: string, path: unknown) => assistant([call('1', name, { path })]);

  test('read and modified ones, each once, sorted; a modified one is not listed as read', () => {
    const messages = [
      touched('read', 'b.txt'),
      touched('read', 'a.txt'),
      touched('read', 'a.txt'),
      touched('edit', 'b.txt'),
      touched('write', 'c.txt'),
      touched('bash', 'd.txt'),
      touched('read', 7),
    ];
    expect(fileDetails(messages, tools, undefined)).toEqual({
      readFiles: ['a.txt'],
      modifiedFiles: ['b.txt', 'c.txt'],
    });
  });

  test('those of the compactions before are carried on', () => {
    const before = { readFiles: ['old.txt', 'now-changed.txt'], modifiedFiles: ['kept.txt'] };
    expect(fileDetails([touched('write', 'now-changed.txt')], tools, before)).toEqual({
      readFiles: ['old.txt'],
      modifiedFiles: ['kept.txt', 'now-changed.txt'],
    });
  });

  test.each([null, 'nonsense', 7, { readFiles: 'a', modifiedFiles: [1, 'b.txt', null] }])(
    'details that somebody else left (%j) break nothing',
    (details) => {
      const { readFiles, modifiedFiles } = fileDetails([], tools, details);
      expect(readFiles).toEqual([]);
      expect(modifiedFiles.every((path) => path === 'b.txt')).toBe(true);
    },
  );
});

describe('the summary', () => {
  const none = { readFiles: [], modifiedFiles: [] };

  test('is what the model said', () => {
    expect(finished('history', undefined, none)).toBe('history');
  });

  test('says so when a split turn is all there is', () => {
    expect(finished(undefined, 'prefix', none)).toBe(
      'No prior history.\n\n---\n\n**Turn Context (split turn):**\n\nprefix',
    );
  });

  test('ends with the files', () => {
    const files = { readFiles: ['a', 'b'], modifiedFiles: ['c'] };
    expect(finished('history', 'prefix', files)).toBe(
      'history\n\n---\n\n**Turn Context (split turn):**\n\nprefix\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nc\n</modified-files>',
    );
  });
});
