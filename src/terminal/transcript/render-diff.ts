// Renders numbered diff lines. In a changed line, the characters that differ are emphasized.
import { type SafeText, sanitizeLines } from '../../base/safe-text.ts';
import { type Line, line, span, type TextStyle } from '../text/line.ts';

const ADDED: TextStyle = { colour: 'green' };
const REMOVED: TextStyle = { colour: 'red' };
/** The sign, the line number and a space. */
const GUTTER = /^[-+] *\d+ /;
/** The two halves of a character outside of the basic plane are not separated. */
const HIGH_SURROGATE = /[\ud800-\udbff]/;
const LOW_SURROGATE = /[\udc00-\udfff]/;
/** With less text in common, the two lines are different lines and not one changed line. */
const MIN_COMMON_SHARE = 0.3;

/** Each line begins with its sign and the line number. */
export function renderDiff(diff: string): Line[] {
  const texts = sanitizeLines(diff);
  const lines: Line[] = [];
  for (let at = 0; at < texts.length; ) {
    const removed = takeWhile(texts, at, '-');
    const added = takeWhile(texts, at + removed.length, '+');
    if (removed.length === 0 && added.length === 0) lines.push(line(texts[at++] ?? '', { dim: true }));
    else lines.push(...renderChange(removed, added));
    at += removed.length + added.length;
  }
  return lines;
}

function takeWhile(texts: readonly SafeText[], from: number, sign: string): readonly SafeText[] {
  const end = texts.findIndex((text, at) => at >= from && !text.startsWith(sign));
  return texts.slice(from, end < 0 ? undefined : end);
}

function renderChange(removed: readonly SafeText[], added: readonly SafeText[]): Line[] {
  // Lines are compared only if each removed line has one added line.
  const isPaired = removed.length === added.length;
  const render = (texts: readonly SafeText[], others: readonly SafeText[], style: TextStyle) =>
    texts.map((text, at) => (isPaired ? emphasizeDifference(text, others[at] ?? '', style) : line(text, style)));
  return [...render(removed, added, REMOVED), ...render(added, removed, ADDED)];
}

/** The part between the common start and the common end is inverse. */
function emphasizeDifference(text: string, other: string, style: TextStyle): Line {
  const [gutter = ''] = GUTTER.exec(text) ?? [];
  const [body, otherBody] = [text.slice(gutter.length), other.slice(GUTTER.exec(other)?.[0].length)];
  const shorter = Math.min(body.length, otherBody.length);
  let start = 0;
  while (start < shorter && body[start] === otherBody[start]) start += 1;
  if (HIGH_SURROGATE.test(body.charAt(start - 1))) start -= 1;
  let end = 0;
  while (end < shorter - start && body.at(-1 - end) === otherBody.at(-1 - end)) end += 1;
  if (LOW_SURROGATE.test(body.charAt(body.length - end))) end -= 1;
  if (body.slice(0, start).trim().length + end < MIN_COMMON_SHARE * shorter) return line(text, style);
  const changedEnd = body.length - end;
  return [
    span(gutter + body.slice(0, start), style),
    span(body.slice(start, changedEnd), { ...style, inverse: true }),
    span(body.slice(changedEnd), style),
  ].filter((part) => part.text !== '');
}
