// Names that every object inherits, where a provider, models.json or a schema says them.
import { expect, test } from 'vitest';
import { checkJson } from '../../src/core/schema/json-schema.ts';
import { readFrame as readMessagesFrame } from '../../src/llm/apis/anthropic-messages/frame.ts';
import { readFrame as readResponsesFrame } from '../../src/llm/apis/openai-responses/frame.ts';
import { createSecretTexts } from '../../src/llm/credentials/secret-text.ts';
import { extrasFor } from '../../src/llm/custom-models.ts';

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', async (name) => {
  // Kinds of frames that are not known pass, and are ignored by the reader.
  expect(readMessagesFrame(`{"type":"${name}"}`, [])).toEqual({ type: name });
  expect(readResponsesFrame(`{"type":"${name}"}`, [])).toEqual({ type: name });
  expect(extrasFor({ id: name }, { modelOverrides: {} })).toEqual({
    headers: {},
    compat: undefined,
    authHeader: false,
  });
  const options = { ports: {} as never, env: {}, directory: '/', redact: () => {}, withhold: () => {} };
  const secrets = createSecretTexts(options);
  expect(await secrets.resolve(name, 'own')).toBe(name);
  // A reference that leads nowhere allows everything.
  expect(checkJson({ $ref: `#/${name}` }, 7)).toEqual({ value: 7 });
});
