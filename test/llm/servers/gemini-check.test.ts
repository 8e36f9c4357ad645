// Tests of the strict loopback Gemini server: each case is a valid request with one error.
import { expect, test } from 'vitest';
import { checkGemini } from './gemini-check.ts';
import { createSignature, signedContent } from './gemini-frames.ts';
import { type Fields, Refusal } from './loopback.ts';

const CALL = { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } } };
const SIGNATURE = createSignature(signedContent(CALL));
const ISSUED = new Map([[SIGNATURE, signedContent(CALL)]]);
const RESULT = { functionResponse: { id: 'c1', name: 'read', response: { content: 'x' } } };
const userTurn = { role: 'user', parts: [{ text: 'Go' }] };
const callTurn = { role: 'model', parts: [{ ...CALL, thoughtSignature: SIGNATURE }] };
const resultTurn = { role: 'user', parts: [RESULT] };
const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const VALID: Fields = {
  contents: [userTurn, callTurn, resultTurn],
  systemInstruction: { parts: [{ text: 'Be kind.' }] },
  generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } },
  tools: [{ functionDeclarations: [{ name: 'read', description: '', parameters }] }],
};

function checkRequest(body: Fields, model = 'gemini-3-flash-preview', ids = true): string | undefined {
  try {
    checkGemini(model, body, ISSUED, { ids });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return (JSON.parse(thrown.body) as { error: { message: string } }).error.message;
  }
}

test('a valid request is accepted', () => expect(checkRequest(VALID)).toBeUndefined());

const contents = (...list: Fields[]): Fields => ({ ...VALID, contents: list });
const cases: [string, Fields, RegExp][] = [
  ['an unknown field', { ...VALID, stream: true }, /Unknown name "stream"/],
  ['an unknown part', contents({ role: 'user', parts: [{ text: 'a', cache: 1 }] }), /Unknown name "cache"/],
  ['no contents', contents(), /contents is not specified/],
  ['an unknown role', contents({ role: 'system', parts: [{ text: 'a' }] }), /valid role/],
  ['no parts', contents({ role: 'user', parts: [] }), /must not be empty/],
  ['empty text', contents({ role: 'user', parts: [{ text: '' }] }), /required oneof field/],
  ['a call without its result', contents(userTurn, callTurn, userTurn), /number of function response parts/],
  [
    'more results than calls',
    contents(userTurn, callTurn, { role: 'user', parts: [RESULT, RESULT] }),
    /number of function/,
  ],
  ['a result without a call', contents(resultTurn), /immediately after a function call turn/],
  [
    'a result for another call',
    contents(userTurn, callTurn, {
      role: 'user',
      parts: [{ functionResponse: { ...RESULT.functionResponse, id: 'c2' } }],
    }),
    /immediately after/,
  ],
  ['a model turn last', contents(userTurn, { role: 'model', parts: [{ text: 'a' }] }), /end with a user role/],
  [
    'a call without its signature',
    contents(userTurn, { role: 'model', parts: [CALL] }, resultTurn),
    /missing a thought_signature/,
  ],
  [
    'an altered call',
    contents(
      userTurn,
      { role: 'model', parts: [{ functionCall: { ...CALL.functionCall, args: {} }, thoughtSignature: SIGNATURE }] },
      resultTurn,
    ),
    /not valid/,
  ],
  [
    'an unknown signature',
    contents(userTurn, { role: 'model', parts: [{ text: 'a', thoughtSignature: 'x' }] }, userTurn),
    /not valid/,
  ],
  [
    'an unsupported image type',
    contents({ role: 'user', parts: [{ inlineData: { mimeType: 'image/gif', data: 'AA==' } }] }),
    /Unsupported MIME type/,
  ],
  [
    'an unknown schema keyword',
    {
      ...VALID,
      tools: [{ functionDeclarations: [{ name: 'a', parameters: { ...parameters, additionalProperties: false } }] }],
    },
    /Unknown name "additionalProperties"/,
  ],
  [
    'a budget instead of a level',
    { ...VALID, generationConfig: { thinkingConfig: { thinkingBudget: 1 } } },
    /budget is not supported/,
  ],
  [
    'an unsupported level',
    { ...VALID, generationConfig: { thinkingConfig: { thinkingLevel: 'xhigh' } } },
    /XHIGH is not supported/,
  ],
];
test.each(cases)('rejects %s', (_name, body, pattern) => expect(checkRequest(body)).toMatch(pattern));

test('checks the limits of each model', () => {
  expect(checkRequest(VALID, 'gemini-0')).toMatch(/not found/);
  const budget = (thinkingBudget: number) => ({ ...VALID, generationConfig: { thinkingConfig: { thinkingBudget } } });
  expect(checkRequest(budget(0), 'gemini-2.5-pro')).toMatch(/between 128 and 32768/);
  expect(checkRequest(budget(0), 'gemini-2.5-flash')).toBeUndefined();
  expect(checkRequest(budget(0), 'gemini-2.0-flash')).toMatch(/not enabled/);
  expect(
    checkRequest(
      { ...contents(userTurn, { role: 'model', parts: [CALL] }, resultTurn), generationConfig: {} },
      'gemini-2.5-pro',
    ),
  ).toBeUndefined();
});

test('Vertex rejects call ids', () =>
  expect(checkRequest(VALID, 'gemini-3-flash-preview', false)).toMatch(/Unknown name "id"/));
