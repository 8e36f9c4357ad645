// Parses a conversation that was serialized for a summary.

/** A tool call and its result. */
export interface ToolCallRecord {
  tool: string;
  path?: string;
  command?: string;
  pattern?: string;
  result?: string;
  /** The first line or phrase of a result that looks like a failure. */
  problem?: string;
}

export interface Transcript {
  requests: string[];
  answers: string[];
  toolCalls: ToolCallRecord[];
  /** The last request, if no text answer followed it. */
  openRequest?: string;
}

const LABEL = /^\[(User|Assistant thinking|Assistant tool calls|Assistant|Tool result[^\]\n\r\u2028\u2029]*)\]: ?/gm;

export function parseTranscript(text: string): Transcript {
  const transcript: Transcript = { requests: [], answers: [], toolCalls: [] };
  let nextResult = 0;
  for (const { label, body } of splitParts(text)) {
    if (label === 'User') {
      transcript.requests.push(body);
      transcript.openRequest = body;
    } else if (label === 'Assistant') {
      transcript.answers.push(body);
      delete transcript.openRequest;
    } else if (label === 'Assistant tool calls') {
      const calls = parseCalls(body);
      nextResult = transcript.toolCalls.length;
      transcript.toolCalls.push(...calls);
    } else if (label.startsWith('Tool result')) {
      const record = transcript.toolCalls[nextResult++];
      if (record) applyResult(record, body, label);
    }
  }
  return transcript;
}

function splitParts(text: string): { label: string; body: string }[] {
  const labels = [...text.matchAll(LABEL)];
  return labels.map((match, index) => ({
    label: match[1] ?? '',
    body: text.slice(match.index + match[0].length, labels[index + 1]?.index ?? text.length).trim(),
  }));
}

const PROBLEM_START =
  /^(?:error\b|cannot\b|could not\b|file not found|path not found|not a directory|no such file|found \d+ occurrences|skipped\b|invalid arguments|tool \S+ not found|command (?:aborted|timed out))/i;
/** Applied to the last line only. */
const PROBLEM_END = /command (?:exited with code [1-9-]\d*|aborted|timed out.*)$/is;
const PROBLEM_ANYWHERE = /tool execution (?:was aborted|failed)/i;

function applyResult(record: ToolCallRecord, body: string, label: string): void {
  record.result = body;
  const first = body.split('\n', 1)[0] || 'failed';
  if (PROBLEM_START.test(body)) record.problem = first;
  else {
    const lastLine = body.slice(body.lastIndexOf('\n') + 1);
    const [problem] = PROBLEM_ANYWHERE.exec(body) ?? PROBLEM_END.exec(lastLine) ?? [];
    if (problem !== undefined || /error|fail/i.test(label)) record.problem = problem ?? first;
  }
}

/** Parses `name(key=json, …); name(…)`. The JSON may contain brackets and semicolons. */
function parseCalls(text: string): ToolCallRecord[] {
  const calls: ToolCallRecord[] = [];
  const head = /(?<![\w.-])(?<tool>[\w.-]+)\(/g;
  for (let match = head.exec(text); match; match = head.exec(text)) {
    const end = findCallEnd(text, head.lastIndex);
    const argumentText = text.slice(head.lastIndex, end);
    calls.push({ tool: match.groups?.tool ?? '', ...parseArguments(argumentText) });
    head.lastIndex = end;
  }
  return calls;
}

function findCallEnd(text: string, start: number): number {
  let depth = 1;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (inString && char === '\\') index++;
    else if (char === '"') inString = !inString;
    else if (!inString && char === '(') depth++;
    else if (!inString && char === ')' && --depth === 0) return index;
  }
  return text.length;
}

function parseArguments(text: string): Omit<ToolCallRecord, 'tool'> {
  const fields: Record<string, string> = {};
  for (const key of ['path', 'command', 'pattern']) {
    const json = new RegExp(`(?:^|, )${key}=("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1];
    if (json !== undefined) fields[key] = parseString(json);
  }
  return fields;
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}
