// Rules for requests that need only a text answer.
import { COUNT_LIMIT } from './intent.ts';
import { isLikelyFile } from './phrases.ts';
import { getQuotedText, unmaskQuotes } from './quoting.ts';
import { createFixedRule, createRule, type Rule } from './rule.ts';

const ADDRESSEE_SUFFIX = '(?: there| all| everyone| parley| again)?';

export const conversationRules: readonly Rule[] = [
  createFixedRule(
    { kind: 'greet' },
    `(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day))${ADDRESSEE_SUFFIX}`,
  ),
  createFixedRule(
    { kind: 'thanks' },
    '(?:many thanks|thanks|thank you|thx|ty|cheers|great|nice|perfect|well done)(?: .{0,30})?',
  ),
  createFixedRule(
    { kind: 'help' },
    '(?:help(?: me)?|what can (?:you|i) (?:do|ask)(?: here| you)?|what do you (?:do|understand)|how (?:does this|do you) work)',
  ),
  createFixedRule(
    { kind: 'about' },
    "(?:(?:who|what)(?: exactly)? are you|who am i talking to|what(?:'s| is) your name|(?:what|which) (?:model|llm|ai) (?:are you|is this|am i talking to)|are you .{0,60}|introduce yourself|tell me about yourself)",
  ),
  createFixedRule(
    { kind: 'stop' },
    "(?:stop|cancel|abort|never ?mind|forget (?:it|that)|don't|do not|wait|hold on|halt|no)(?:[, ].*)?",
  ),
  createFixedRule({ kind: 'continue' }, '(?:continue|go on|carry on|proceed|keep going|resume|yes|go ahead)'),
  createFixedRule(
    { kind: 'output' },
    "(?:what (?:did|does) (?:it|that|this|(?:the|that|this|my) (?:last |previous )?(?:command|shell|bash)(?: i ran)?|bash|the shell) (?:print|say|output|return|show|give)|what(?:'s| is| was) (?:the|its|that) (?:(?:last|previous) )?(?:command's )?(?:command )?(?:output|result|exit code)(?: of (?:it|that|the (?:last )?command))?|(?:show|give)(?: me)? the (?:command )?output(?: of (?:it|that|the (?:last )?command))?(?: again)?|did (?:it|that|the (?:last )?command) (?:work|fail|succeed|pass))",
  ),
  createRule('count (?:up )?(?:from (?:1|one) )?to (?<number>\\d[\\d,_]{0,11})', (part) => {
    const to = Number(part('number')?.replace(/[,_]/g, ''));
    if (to >= 1 && to <= COUNT_LIMIT) return [{ kind: 'count', to }];
    return [{ kind: 'unclear', request: `count to ${part('number')}`, hint: 'count-limit' }];
  }),
  createRule('think (?:\\w+ )?(?:about|of|on|through) (?<topic>.+)', (part, quotes) => {
    const topic = part('topic') ?? '';
    return [{ kind: 'think', topic: getQuotedText(topic, quotes) ?? unmaskQuotes(topic, quotes) }];
  }),
  createRule(
    '(?<verb>say|echo|repeat(?: after me)?|print|answer with|reply with)(?: just| only)?:? (?<text>.+)',
    (part, quotes) => {
      const text = part('text') ?? '';
      const quoted = getQuotedText(text, quotes);
      // "print README.md" asks for the file; "print `hello there`" asks for the text.
      if (part('verb') === 'print' && (quoted === undefined || isLikelyFile(quoted))) return undefined;
      return [{ kind: 'say', text: quoted ?? unmaskQuotes(text, quotes) }];
    },
  ),
];
