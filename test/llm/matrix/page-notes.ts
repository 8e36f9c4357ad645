// The sections of docs/model-apis.md that stand behind the table. Plain text; the page is written by matrix.test.ts.

export const PAGE_NOTES = `
## Limits

An answer that exceeds one of these limits ends the run with one error that names the limit. It is not retried.

| limit | value | setting |
|---|---|---|
| time without content, over all retries of a request | 10 minutes | \`http.idleTimeoutMs\` |
| duration of one answer | 1 hour | \`http.totalTimeoutMs\` |
| one event that is not complete, after decompression | 16 MiB | – |
| one answer, after decompression | 128 MiB | – |
| a list of models | 8 MiB | – |

Content is text, thinking and tool calls. Pings (SSE comments, \`ping\` events, chunks without content) are not content. A model that
thinks for longer than ten minutes and sends nothing but pings needs a higher \`http.idleTimeoutMs\`. Waits between two attempts do not
count, and neither does the time in which a host does not read. A connection that breaks is retried as before.

## Hosts that speak Chat Completions

Many servers run any model with the chat template of that model, and the templates of some models (Mistral, Llama) refuse two messages of
one role in a row. For a host that is not in the table of providers, or a provider of the table at another address, such messages are
joined. The hosts of the table get them as they are, except LM Studio, llama.cpp, vLLM and Perplexity. \`compat.requiresAlternatingRoles\` in
models.json decides otherwise.

## What is kept of an answer

The finished item of the Responses format counts: where it differs from the deltas, \`text_end\`, \`thinking_end\` and \`toolcall_end\` say what is
final, and \`message_end\` holds it. Items of hosted tools (web search and others) that follow encrypted reasoning are kept as empty thinking
blocks, whose signature is sent back together with the reasoning.

## Images and names of tools

An image is a PNG, JPEG, GIF or WebP in base64; its type is that of its bytes, and a data URL is unwrapped. A command whose image is anything
else is refused with the name of the field (\`images[0].data\`), and so is an image over the limit of the model: 5 MiB of base64 and 8000 pixels
for Claude, 20 MiB for others. Where no host waits for an answer (results of tools, messages of extensions, files that a message mentions,
earlier messages of a session) a note takes the place of the image.

Names of tool calls in requests have 1 to 64 letters, digits, \`_\` and \`-\`. Another name that a model made up is replaced in the call and in its
result; the session keeps what the model said. A tool that is registered under such a name is offered under a legal one.
`;
