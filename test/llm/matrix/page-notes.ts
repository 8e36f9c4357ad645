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
`;
