// The content blocks of an ACP prompt: text, links, documents and images.
import { parse } from 'valibot';
import { expect, test } from 'vitest';
import { promptContent, toUserInput } from '../../../src/dialects/acp/prompt-content.ts';

const CWD = '/projects/one';

function convert(...blocks: unknown[]) {
  return toUserInput(parse(promptContent, blocks), CWD);
}

test('text and links are one message in the order of the blocks; two texts are separate lines', () => {
  const { message } = convert(
    { type: 'text', text: '/review compare ' },
    { type: 'resource_link', uri: 'file:///projects/one/src/a.ts#L10-20', name: 'a.ts' },
    { type: 'text', text: ' with ' },
    { type: 'resource_link', uri: 'https://example.com/spec', name: 'the spec' },
    { type: 'text', text: 'first' },
    { type: 'text', text: 'second' },
  );
  expect(message).toBe('/review compare @src/a.ts with [the spec](https://example.com/spec)first\nsecond');
});

test('a file outside the directory keeps its absolute path; a path with spaces is quoted', () => {
  const link = (uri: string) => convert({ type: 'resource_link', uri, name: 'x' }).message;
  expect(link('file:///etc/hosts')).toBe('@/etc/hosts');
  expect(link('file:///projects/one/my%20notes.md')).toBe('@"my notes.md"');
  expect(link('file:///projects/one')).toBe('@/projects/one');
  expect(link('file://%zz')).toBe('[x](file://%zz)');
});

test('an embedded text is a document with the path of its file; an empty one is left out', () => {
  const { message, attachments } = convert(
    { type: 'text', text: 'explain' },
    { type: 'resource', resource: { uri: 'file:///projects/one/b.py', text: 'é = 1', mimeType: 'text/x-python' } },
    { type: 'resource', resource: { uri: 'zed:///agent/rule', text: 'be brief' } },
    { type: 'resource', resource: { uri: 'file:///empty', text: ' \n' } },
  );
  expect(message).toBe('explain');
  expect(attachments).toEqual([
    {
      ...{
        id: 'file:///projects/one/b.py',
        type: 'document',
        fileName: '/projects/one/b.py',
        mimeType: 'text/x-python',
      },
      ...{ size: 6, content: '', extractedText: 'é = 1' },
    },
    {
      ...{ id: 'zed:///agent/rule', type: 'document', fileName: 'zed:///agent/rule', mimeType: 'text/plain' },
      ...{ size: 8, content: '', extractedText: 'be brief' },
    },
  ]);
});

test('images come from image blocks and from binary resources', () => {
  const { images } = convert(
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///a.jpg', blob: 'BBBB', mimeType: 'image/jpeg' } },
  );
  expect(images).toEqual([
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'image', data: 'BBBB', mimeType: 'image/jpeg' },
  ]);
});

test('audio and other binary resources are refused with the index of the block', () => {
  expect(() => convert({ type: 'text', text: 'a' }, { type: 'audio', data: '', mimeType: 'audio/wav' })).toThrow(
    'Invalid params: prompt[1] is audio, which is not supported',
  );
  expect(() => convert({ type: 'resource', resource: { uri: 'file:///a.zip', blob: 'AA' } })).toThrow(
    'Invalid params: prompt[0].resource is binary (unknown type); only text and images are supported',
  );
});
