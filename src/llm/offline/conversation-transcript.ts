// First floor, llm: reads a conversation that was serialised for a summary. Knows its labels, not what is made of it.

/** One tool call and what came of it. */
export interface Act {
  tool: string;
  path?: string;
  command?: string;
  pattern?: string;
  result?: string;
  /** The first words of a result that reads like a failure. */
  problem?: string;
}

export interface Transcript {
  requests: string[];
  answers: string[];
  acts: Act[];
  /** The last request, when no answer in words followed it. */
  open?: string;
}

const LABEL = /^\[(User|Assistant thinking|Assistant tool calls|Assistant|Tool result[^\]\n\r\u2028\u2029]*)\]: ?/gm;

export function readTranscript(text: string): Transcript {
  const transcript: Transcript = { requests: [], answers: [], acts: [] };
  let unanswered = 0;
  for (const { label, body } of parts(text)) {
    if (label === 'User') {
      transcript.requests.push(body);
      transcript.open = body;
    } else if (label === 'Assistant') {
      transcript.answers.push(body);
      delete transcript.open;
    } else if (label === 'Assistant tool calls') {
      const calls = readCalls(body);
      unanswered = transcript.acts.length;
      transcript.acts.push(...calls);
    } else if (label.startsWith('Tool result')) {
      const act = transcript.acts[unanswered++];
      if (act) conclude(act, body, label);
    }
  }
  return transcript;
}

function parts(text: string): { label: string; body: string }[] {
  const labels = [...text.matchAll(LABEL)];
  return labels.map((match, index) => ({
    label: match[1] ?? '',
    body: text.slice(match.index + match[0].length, labels[index + 1]?.index ?? text.length).trim(),
  }));
}

const PROBLEM_START =
  /^(?:error\b|cannot\b|could not\b|file not found|path not found|not a directory|no such file|found \d+ occurrences|skipped\b|invalid arguments|tool \S+ not found|command (?:aborted|timed out))/i;
/** For the last line alone. */
const PROBLEM_END = /command (?:exited with code [1-9-]\d*|aborted|timed out.*)$/is;
const PROBLEM_ANYWHERE = /tool execution (?:was aborted|failed)/i;

function conclude(act: Act, body: string, label: string): void {
  act.result = body;
  const first = body.split('\n', 1)[0] || 'failed';
  if (PROBLEM_START.test(body)) act.problem = first;
  else {
    const lastLine = body.slice(body.lastIndexOf('\n') + 1);
    const [problem] = PROBLEM_ANYWHERE.exec(body) ?? PROBLEM_END.exec(lastLine) ?? [];
    if (problem !== undefined || /error|fail/i.test(label)) act.problem = problem ?? first;
  }
}

/** `name(key=json, …); name(…)`, where the JSON may itself hold brackets and semicolons. */
function readCalls(text: string): Act[] {
  const calls: Act[] = [];
  const head = /(?<![\w.-])(?<tool>[\w.-]+)\(/g;
  for (let match = head.exec(text); match; match = head.exec(text)) {
    const end = endOfCall(text, head.lastIndex);
    const inside = text.slice(head.lastIndex, end);
    calls.push({ tool: match.groups?.tool ?? '', ...argumentsOf(inside) });
    head.lastIndex = end;
  }
  return calls;
}

function endOfCall(text: string, start: number): number {
  let depth = 1;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (inString && unit === '\\') at++;
    else if (unit === '"') inString = !inString;
    else if (!inString && unit === '(') depth++;
    else if (!inString && unit === ')' && --depth === 0) return at;
  }
  return text.length;
}

function argumentsOf(inside: string): Omit<Act, 'tool'> {
  const found: Record<string, string> = {};
  for (const key of ['path', 'command', 'pattern']) {
    const json = new RegExp(`(?:^|, )${key}=("(?:[^"\\\\]|\\\\.)*")`).exec(inside)?.[1];
    if (json !== undefined) found[key] = readString(json);
  }
  return found;
}

function readString(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json;
  }
}
