// Property names that every object inherits, in provider events, models.json and schemas.
import { expect, test } from 'vitest';
import { parseFrame as readMessagesFrame } from '../../src/llm/apis/anthropic-messages/frame.ts';
import { parseFrame as readResponsesFrame } from '../../src/llm/apis/openai-responses/frame.ts';
import { createSecretResolver } from '../../src/llm/credentials/secret-resolver.ts';
import { findRequestOverrides } from '../../src/llm/custom-provider-registry.ts';
import { checkJson } from '../../src/support/json-schema/json-schema.ts';

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', async (name) => {
  // Unknown frame types are returned; the reader ignores them.
  expect(readMessagesFrame(`{"type":"${name}"}`, [])).toEqual({ type: name });
  expect(readResponsesFrame(`{"type":"${name}"}`, [])).toEqual({ type: name });
  expect(findRequestOverrides({ id: name }, { modelOverrides: {} })).toEqual({
    headers: {},
    compat: undefined,
    authHeader: false,
  });
  const options = { ports: {} as never, env: {}, directory: '/', redact: () => {}, withhold: () => {} };
  const secrets = createSecretResolver(options);
  expect(await secrets.resolve(name, 'own')).toBe(name);
  // An unresolvable reference accepts every value.
  expect(checkJson({ $ref: `#/${name}` }, 7)).toEqual({ value: 7 });
});
