// Formats JSON: values that fit into a line stay on one line, others are indented.

export function toFittedJson(value: unknown, width = 100, indent = ''): string {
  const flat = inOneLine(value);
  if (indent.length + flat.length <= width || typeof value !== 'object' || value === null) return flat;
  const deeper = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => toFittedJson(item, width, deeper))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${toFittedJson(item, width, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${deeper}${items.join(`,\n${deeper}`)}\n${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
