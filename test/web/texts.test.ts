// Texts of the page: safe addresses, character references, completion, short numbers, and the reference of the API.
import { describe, expect, test } from 'vitest';
import {
  buildCurl,
  describeSchema,
  filterGroups,
  groupOperations,
  type OpenApi,
} from '../../web/src/api-docs/openapi.ts';
import { formatSessionAddress, parseSessionAddress } from '../../web/src/app/session-address.ts';
import { describeCall, listPictures } from '../../web/src/conversation/describe-call.ts';
import { decodeEntities } from '../../web/src/markdown/decode-entities.ts';
import { toSafeImage, toSafeLink } from '../../web/src/markdown/safe-link.ts';
import {
  formatAge,
  formatCost,
  formatShort,
  shorten,
  shortenPath,
  takeEnd,
  takeStart,
} from '../../web/src/parts/format.ts';
import { completeCommand, findCommandPrefix } from '../../web/src/prompt/completion.ts';

describe('addresses', () => {
  test.each(['https://x.y/z?a=1', 'http://x.y/', 'mailto:a@b.c'])('%s may be a link', (address) => {
    expect(toSafeLink(address)).toBe(address);
  });

  test.each([
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '\u0001javascript:x',
      'java\tscript:x',
      'data:text/html,x',
      '/local',
    ],
    ...['//x.y', 'file:///etc/passwd', 'blob:https://x.y/1', 'vbscript:x', '#top', ''],
  ])('%j may not be a link', (address) => {
    expect(toSafeLink(address)).toBeUndefined();
  });

  test('only raster images inside the text are shown', () => {
    expect(toSafeImage('data:image/png;base64,AA==')).toBeDefined();
    for (const address of ['https://x.y/a.png', 'data:image/svg+xml;base64,AA==', 'data:text/html;base64,AA==']) {
      expect(toSafeImage(address)).toBeUndefined();
    }
    const image = { type: 'image', data: 'AA==', mimeType: 'image/svg+xml' };
    expect(listPictures([image, { ...image, mimeType: 'image/png' }])).toHaveLength(1);
  });
});

test('the address of the page names a session, also if it is malformed', () => {
  expect(parseSessionAddress(formatSessionAddress('a/b %1'))).toBe('a/b %1');
  expect(parseSessionAddress('#/s/%E0%A4%A')).toBe('%E0%A4%A');
  expect(['', '#/', '#/s/', '#/s/a/b'].map(parseSessionAddress)).toEqual(Array(4).fill(undefined));
});

test('character references are decoded once, unknown ones stay', () => {
  expect(decodeEntities('a &amp;lt; &#65;&#x42; &copy; &unknown; &#0; &#xD800; &constructor;')).toBe(
    'a &lt; AB © &unknown; \ufffd \ufffd &constructor;',
  );
});

describe('completion', () => {
  const commands = ['review', 'report', 'preview'].map((name) => ({ name, source: 'file' as const }));

  test('a command is completed only at the beginning of the prompt', () => {
    expect([findCommandPrefix('/re', 3), findCommandPrefix('/re', 2), findCommandPrefix('/', 1)]).toEqual([
      're',
      'r',
      '',
    ]);
    expect([findCommandPrefix('a /re', 5), findCommandPrefix('/re x', 5), findCommandPrefix('', 0)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });

  test('names that begin with the text come first', () => {
    expect(completeCommand('re', commands).map(({ name }) => name)).toEqual(['report', 'review', 'preview']);
    expect(completeCommand('x', commands)).toEqual([]);
  });
});

test('numbers, costs, ages and paths are short', () => {
  expect([0, 999, 1000, 1234, 9960, 34_567, 1_500_000].map(formatShort)).toEqual([
    ...['0', '999', '1k', '1.2k', '10k', '35k', '1.5M'],
  ]);
  expect([0, 0.0012, 0.05, 12.3, 123.4].map(formatCost)).toEqual(['$0', '$0.0012', '$0.05', '$12.30', '$123']);
  const day = 86_400_000;
  expect([0, 120_000, 2 * day, 30 * day].map((age) => formatAge(1e12 - age, 1e12))).toEqual([
    ...['now', '2 min', '2 d', '2001-08-10'],
  ]);
  expect([shortenPath('/a/b/c'), shortenPath('/a')]).toEqual(['…/b/c', '/a']);
});

test('a text is not cut inside of an emoji', () => {
  const text = 'ab😀cd';
  expect([2, 3, 4, 9].map((max) => takeStart(text, max))).toEqual(['ab', 'ab', 'ab😀', text]);
  expect([2, 3, 4, 9].map((max) => takeEnd(text, max))).toEqual(['cd', 'cd', '😀cd', text]);
  expect([3, 4, 5, 6].map((max) => shorten(text, max))).toEqual(['ab…', 'ab…', 'ab😀…', text]);
});

test('a tool call is described by its main argument', () => {
  expect(describeCall('bash', { command: 'ls\npwd' })).toMatchObject({ subject: 'ls', icon: 'terminal' });
  expect(describeCall('grep', { path: 'src', pattern: 'x' })).toMatchObject({ subject: 'x', path: 'src' });
  expect(describeCall('task', { agent: 'explore', tasks: [1, 2] })).toMatchObject({ subject: '2 tasks' });
  expect(describeCall('other', {})).toMatchObject({ subject: '', icon: 'wrench' });
});

describe('the reference of the API', () => {
  const api: OpenApi = {
    info: { title: 'T', version: '1' },
    tags: [{ name: 'B' }, { name: 'A' }],
    paths: {
      '/v1/x/{sessionId}': {
        get: { operationId: 'getX', tags: ['A'], summary: 'Read it' },
        post: {
          tags: ['B'],
          requestBody: { content: { 'application/json': { example: { a: "it's" } } } },
        },
      },
      '/healthz': { get: { operationId: 'health', security: [] } },
    },
  };

  test('operations are grouped in the order of the groups', () => {
    const groups = groupOperations(api);
    expect(groups.map(({ name, operations }) => [name, operations.map(({ id }) => id)])).toEqual([
      ['B', ['post--v1-x-sessionId-']],
      ['A', ['getX']],
      ['Other', ['health']],
    ]);
    expect(filterGroups(groups, 'read GET').map(({ name }) => name)).toEqual(['A']);
  });

  test('types have short names', () => {
    const schema = { oneOf: [{ $ref: '#/components/schemas/Model' }, { type: 'array', items: { enum: ['a', 1] } }] };
    expect(describeSchema(schema)).toBe('Model | "a" | 1[]');
  });

  test('examples read the token and the ids from variables', () => {
    const [post, get, health] = groupOperations(api).flatMap(({ operations }) => operations);
    expect(buildCurl(post!, 'http://h')).toContain(`-d '{"a":"it'\\''s"}'`);
    expect(buildCurl(get!, 'http://h')).toMatch(/Bearer \$PARLEY_TOKEN"[\s\S]*"http:\/\/h\/v1\/x\/\$SESSION_ID"$/);
    expect(buildCurl(health!, 'http://h')).not.toContain('Authorization');
  });
});
