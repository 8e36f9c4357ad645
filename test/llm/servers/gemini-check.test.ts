// The strict loopback Gemini refuses what the real one refuses: each case is a good request with one thing wrong.
import { expect, test } from 'vitest';
import { checkGemini } from './gemini-check.ts';
import { signatureOf, signedContent } from './gemini-frames.ts';
import { type Fields, Refusal } from './loopback.ts';

const CALL = { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } } };
const SIGNATURE = signatureOf(signedContent(CALL));
const ISSUED = new Map([[SIGNATURE, signedContent(CALL)]]);
const RESULT = { functionResponse: { id: 'c1', name: 'read', response: { content: 'x' } } };
const asked = { role: 'user', parts: [{ text: 'Go' }] };
const signed = { role: 'model', parts: [{ ...CALL, thoughtSignature: SIGNATURE }] };
const answered = { role: 'user', parts: [RESULT] };
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const GOOD: Fields = {
  contents: [asked, signed, answered],
  systemInstruction: { parts: [{ text: 'Be kind.' }] },
  generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } },
  tools: [{ functionDeclarations: [{ name: 'read', description: '', parameters }] }],
};

function refused(body: Fields, model = 'gemini-3-flash-preview', ids = true): string | undefined {
  try {
    checkGemini(model, body, ISSUED, { ids });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return (JSON.parse(thrown.body) as { error: { message: string } }).error.message;
  }
}

test('a good request is taken', () => expect(refused(GOOD)).toBeUndefined());

const contents = (...list: Fields[]): Fields => ({ ...GOOD, contents: list });
const cases: [string, Fields, RegExp][] = [
  ['an unknown field', { ...GOOD, stream: true }, /Unknown name "stream"/],
  ['an unknown part', contents({ role: 'user', parts: [{ text: 'a', cache: 1 }] }), /Unknown name "cache"/],
  ['nothing', contents(), /contents is not specified/],
  ['an unknown role', contents({ role: 'system', parts: [{ text: 'a' }] }), /valid role/],
  ['no parts', contents({ role: 'user', parts: [] }), /must not be empty/],
  ['empty text', contents({ role: 'user', parts: [{ text: '' }] }), /required oneof field/],
  ['a call without its result', contents(asked, signed, asked), /number of function response parts/],
  ['a result too many', contents(asked, signed, { role: 'user', parts: [RESULT, RESULT] }), /number of function/],
  ['a result for nothing', contents(answered), /immediately after a function call turn/],
  [
    'a result for another call',
    contents(asked, signed, { role: 'user', parts: [{ functionResponse: { ...RESULT.functionResponse, id: 'c2' } }] }),
    /immediately after/,
  ],
  [
    'the model having the last word',
    contents(asked, { role: 'model', parts: [{ text: 'a' }] }),
    /end with a user role/,
  ],
  [
    'a call that lost its signature',
    contents(asked, { role: 'model', parts: [CALL] }, answered),
    /missing a thought_signature/,
  ],
  [
    'an altered call',
    contents(
      asked,
      { role: 'model', parts: [{ functionCall: { ...CALL.functionCall, args: {} }, thoughtSignature: SIGNATURE }] },
      answered,
    ),
    /not valid/,
  ],
  [
    'a signature of somebody else',
    contents(asked, { role: 'model', parts: [{ text: 'a', thoughtSignature: 'x' }] }, asked),
    /not valid/,
  ],
  [
    'an image that it cannot read',
    contents({ role: 'user', parts: [{ inlineData: { mimeType: 'image/gif', data: 'AA==' } }] }),
    /Unsupported MIME type/,
  ],
  [
    'a schema keyword it does not know',
    {
      ...GOOD,
      tools: [{ functionDeclarations: [{ name: 'a', parameters: { ...parameters, additionalProperties: false } }] }],
    },
    /Unknown name "additionalProperties"/,
  ],
  [
    'a budget instead of a level',
    { ...GOOD, generationConfig: { thinkingConfig: { thinkingBudget: 1 } } },
    /budget is not supported/,
  ],
  [
    'a level that it does not have',
    { ...GOOD, generationConfig: { thinkingConfig: { thinkingLevel: 'xhigh' } } },
    /XHIGH is not supported/,
  ],
];
test.each(cases)('%s', (_name, body, words) => expect(refused(body)).toMatch(words));

test('what models differ in', () => {
  expect(refused(GOOD, 'gemini-0')).toMatch(/not found/);
  const budget = (thinkingBudget: number) => ({ ...GOOD, generationConfig: { thinkingConfig: { thinkingBudget } } });
  expect(refused(budget(0), 'gemini-2.5-pro')).toMatch(/between 128 and 32768/);
  expect(refused(budget(0), 'gemini-2.5-flash')).toBeUndefined();
  expect(refused(budget(0), 'gemini-2.0-flash')).toMatch(/not enabled/);
  expect(
    refused({ ...contents(asked, { role: 'model', parts: [CALL] }, answered), generationConfig: {} }, 'gemini-2.5-pro'),
  ).toBeUndefined();
});

test('Vertex knows no ids', () => expect(refused(GOOD, 'gemini-3-flash-preview', false)).toMatch(/Unknown name "id"/));
