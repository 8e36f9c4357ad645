// Sections of docs/model-apis.md after the table. matrix.test.ts writes the page.

export const PAGE_NOTES = `
## Limits

A response that exceeds one of these limits ends the run with one error that names the limit. It is not retried.

| limit | value | setting |
|---|---|---|
| time without content, over all retries of a request | 10 minutes | \`http.idleTimeoutMs\` |
| duration of one response | 1 hour | \`http.totalTimeoutMs\` |
| one event that is not complete, after decompression | 16 MiB | – |
| one response, after decompression | 128 MiB | – |
| a list of models | 8 MiB | – |

Content is text, thinking and tool calls. Pings (SSE comments, \`ping\` events, chunks without content) are not content. A model that
thinks for longer than ten minutes and sends nothing but pings needs a higher \`http.idleTimeoutMs\`. Waits between two attempts do not
count, and neither does the time in which a host does not read. A connection that breaks is retried as before.

## Providers with the Chat Completions API

Many servers run any model with the chat template of that model, and the templates of some models (Mistral, Llama) reject two consecutive
messages of one role. For a server that is not in the provider table, or a provider of the table at another URL, such messages are
joined. The providers of the table get them unchanged, except LM Studio, llama.cpp, vLLM and Perplexity. \`compat.requiresAlternatingRoles\` in
models.json overrides this.

## What is stored of a reply

The finished item of the Responses format wins: where it differs from the deltas, \`text_end\`, \`thinking_end\` and \`toolcall_end\` contain the
final text, and so does \`message_end\`. Items of hosted tools (web search and others) after encrypted reasoning are stored as empty thinking
blocks, whose signature is sent back together with the reasoning.

## Images and tool names

An image is a PNG, JPEG, GIF or WebP in base64; its type is detected from its bytes, and a data URL is decoded. A command with any other image
is rejected with the name of the field (\`images[0].data\`), and so is an image over the limit of the model: 5 MiB of base64 and 8000 pixels
for Claude, 20 MiB for others. Where no command can be rejected (tool results, messages of extensions, files that a message mentions,
earlier messages of a session) a note replaces the image.

Names of tool calls in requests have 1 to 64 letters, digits, \`_\` and \`-\`. Any other name that a model invented is replaced in the call and in its
result; the session stores the original name. A tool that is registered under such a name is offered under a valid one.
`;
