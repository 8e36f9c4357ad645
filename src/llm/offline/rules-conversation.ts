// First floor, llm: phrases that are answered with words alone.
import { COUNT_LIMIT } from './intent.ts';
import { looksLikeFile } from './phrases.ts';
import { quotedText, unmask } from './quoting.ts';
import { fixed, phrase, type Rule } from './rule.ts';

const NAME = '(?: there| all| everyone| parley| again)?';

export const conversationRules: readonly Rule[] = [
  fixed({ kind: 'greet' }, `(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day))${NAME}`),
  fixed({ kind: 'thanks' }, '(?:many thanks|thanks|thank you|thx|ty|cheers|great|nice|perfect|well done)(?: .{0,30})?'),
  fixed(
    { kind: 'help' },
    '(?:help(?: me)?|what can (?:you|i) (?:do|ask)(?: here| you)?|what do you (?:do|understand)|how (?:does this|do you) work)',
  ),
  fixed(
    { kind: 'about' },
    "(?:(?:who|what)(?: exactly)? are you|who am i talking to|what(?:'s| is) your name|(?:what|which) (?:model|llm|ai) (?:are you|is this|am i talking to)|are you .{0,60}|introduce yourself|tell me about yourself)",
  ),
  fixed(
    { kind: 'stop' },
    "(?:stop|cancel|abort|never ?mind|forget (?:it|that)|don't|do not|wait|hold on|halt|no)(?:[, ].*)?",
  ),
  fixed({ kind: 'continue' }, '(?:continue|go on|carry on|proceed|keep going|resume|yes|go ahead)'),
  fixed(
    { kind: 'output' },
    "(?:what (?:did|does) (?:it|that|this|(?:the|that|this|my) (?:last |previous )?(?:command|shell|bash)(?: i ran)?|bash|the shell) (?:print|say|output|return|show|give)|what(?:'s| is| was) (?:the|its|that) (?:(?:last|previous) )?(?:command's )?(?:command )?(?:output|result|exit code)(?: of (?:it|that|the (?:last )?command))?|(?:show|give)(?: me)? the (?:command )?output(?: of (?:it|that|the (?:last )?command))?(?: again)?|did (?:it|that|the (?:last )?command) (?:work|fail|succeed|pass))",
  ),
  phrase('count (?:up )?(?:from (?:1|one) )?to (?<number>\\d[\\d,_]{0,11})', (part) => {
    const to = Number(part('number')?.replace(/[,_]/g, ''));
    if (to >= 1 && to <= COUNT_LIMIT) return [{ kind: 'count', to }];
    return [{ kind: 'unclear', words: `count to ${part('number')}`, hint: 'count-limit' }];
  }),
  phrase('think (?:\\w+ )?(?:about|of|on|through) (?<topic>.+)', (part, quotes) => {
    const topic = part('topic') ?? '';
    return [{ kind: 'think', topic: quotedText(topic, quotes) ?? unmask(topic, quotes) }];
  }),
  phrase(
    '(?<verb>say|echo|repeat(?: after me)?|print|answer with|reply with)(?: just| only)?:? (?<text>.+)',
    (part, quotes) => {
      const words = part('text') ?? '';
      const quoted = quotedText(words, quotes);
      // "print README.md" wants the file; "print `hello there`" wants the words.
      if (part('verb') === 'print' && (quoted === undefined || looksLikeFile(quoted))) return undefined;
      return [{ kind: 'say', text: quoted ?? unmask(words, quotes) }];
    },
  ),
];
