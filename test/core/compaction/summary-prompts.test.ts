// The prompts of a compaction, and the assembly of the summary.
import { describe, expect, test } from 'vitest';
import {
  assembleSummary,
  buildHistoryPrompt,
  buildTurnPrefixPrompt,
  collectFileDetails,
} from '../../../src/core/compaction/summary-prompts.ts';
import { builtinTools as tools } from '../../../src/tools/index.ts';
import { assistant, bash, call, result, text, user } from '../entries.ts';

const extractConversation = (request: string) => /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(request)?.[1];

describe('buildHistoryPrompt', () => {
  test('labels each message with its role', () => {
    const request = buildHistoryPrompt(
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
    expect(extractConversation(request)).toBe(
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

  test('truncates results and arguments to 2000 characters and reports how many are missing', () => {
    const request = buildHistoryPrompt(
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

  test('does not truncate a long user prompt', () => {
    expect(buildHistoryPrompt([user('u'.repeat(9000))], undefined, undefined)).toContain('u'.repeat(9000));
  });

  test('requests the sections in order', () => {
    const sections = ['Goal', 'Constraints & Preferences', 'Progress', 'Done', 'In Progress', 'Blocked'];
    const request = buildHistoryPrompt([user('a')], undefined, undefined);
    const positions = [...sections, 'Key Decisions', 'Next Steps', 'Critical Context'].map((name) =>
      request.search(new RegExp(`^##+ ${name}$`, 'm')),
    );
    expect(positions.every((position, i) => position > (positions[i - 1] ?? 0))).toBe(true);
  });

  test('includes the previous summary, and the custom instructions at the end', () => {
    const request = buildHistoryPrompt([user('a')], 'earlier', 'the parser');
    expect(request).toContain('<previous-summary>\nearlier\n</previous-summary>');
    expect(request.endsWith('Additional focus: the parser')).toBe(true);
    expect(buildHistoryPrompt([user('a')], undefined, undefined)).not.toMatch(/previous-summary|Additional focus/);
    expect(buildTurnPrefixPrompt([user('a')], 'the parser').endsWith('Additional focus: the parser')).toBe(true);
  });
});

describe('collectFileDetails', () => {
  const callWithPath = (name: string, path: unknown) => assistant([call('1', name, { path })]);

  test('lists read and modified files once and sorted; a modified file is not listed as read', () => {
    const messages = [
      callWithPath('read', 'b.txt'),
      callWithPath('read', 'a.txt'),
      callWithPath('read', 'a.txt'),
      callWithPath('edit', 'b.txt'),
      callWithPath('write', 'c.txt'),
      callWithPath('bash', 'd.txt'),
      callWithPath('read', 7),
    ];
    expect(collectFileDetails(messages, tools, undefined)).toEqual({
      readFiles: ['a.txt'],
      modifiedFiles: ['b.txt', 'c.txt'],
    });
  });

  test('includes the files of previous compactions', () => {
    const previous = { readFiles: ['old.txt', 'now-changed.txt'], modifiedFiles: ['kept.txt'] };
    expect(collectFileDetails([callWithPath('write', 'now-changed.txt')], tools, previous)).toEqual({
      readFiles: ['old.txt'],
      modifiedFiles: ['kept.txt', 'now-changed.txt'],
    });
  });

  test.each([null, 'nonsense', 7, { readFiles: 'a', modifiedFiles: [1, 'b.txt', null] }])(
    'ignores invalid details (%j)',
    (details) => {
      const { readFiles, modifiedFiles } = collectFileDetails([], tools, details);
      expect(readFiles).toEqual([]);
      expect(modifiedFiles.every((path) => path === 'b.txt')).toBe(true);
    },
  );
});

describe('assembleSummary', () => {
  const noFiles = { readFiles: [], modifiedFiles: [] };

  test('returns the text of the model', () => {
    expect(assembleSummary('history', undefined, noFiles)).toBe('history');
  });

  test('states that there is no prior history if there is only a split turn', () => {
    expect(assembleSummary(undefined, 'prefix', noFiles)).toBe(
      'No prior history.\n\n---\n\n**Turn Context (split turn):**\n\nprefix',
    );
  });

  test('ends with the file lists', () => {
    const files = { readFiles: ['a', 'b'], modifiedFiles: ['c'] };
    expect(assembleSummary('history', 'prefix', files)).toBe(
      'history\n\n---\n\n**Turn Context (split turn):**\n\nprefix\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nc\n</modified-files>',
    );
  });
});
