// The footer at several widths.
import { describe, expect, test } from 'vitest';
import { type FooterInput, formatFooter } from '../../src/terminal/footer.ts';
import { measureWidth } from '../../src/terminal/text/text-width.ts';

const MODEL = {
  provider: 'anthropic',
  id: 'claude-opus-5-5',
  api: 'x',
  name: 'Model',
} as FooterInput['state']['model'];
const INPUT: FooterInput = {
  state: { model: MODEL, thinkingLevel: 'medium', sessionName: 'Fix the parser', trusted: true },
  cost: 0.1234,
  contextPercent: 12.4,
  directory: '~/work/some/project',
  branch: 'feature/menus',
  extensionTexts: ['2 todos'],
};

describe('formatFooter', () => {
  test('shows everything in a wide terminal', () => {
    expect(formatFooter(INPUT, 160)).toBe(
      'anthropic/claude-opus-5-5 · thinking medium · context 12% · $0.1234 · ~/work/some/project (feature/menus) · Fix the parser · trusted · 2 todos · /help',
    );
  });

  test('drops what helps least in narrow terminals', () => {
    expect(formatFooter(INPUT, 100)).toBe(
      'anthropic/claude-opus-5-5 · medium · context 12% · $0.1234 · project (feature/menus) · 2 todos',
    );
    expect(formatFooter(INPUT, 80)).toBe(
      'claude-opus-5-5 · medium · 12% · $0.1234 · project (feature/menus) · 2 todos',
    );
    expect(formatFooter(INPUT, 40)).toBe('claude-opus-5-5 · 12% · $0.1234');
    expect(formatFooter({ ...INPUT, branch: 'main' }, 40)).toBe('claude-opus-5-5 · 12% · $0.1234 · main');
  });

  test('never exceeds the width when the model fits', () => {
    for (let width = 24; width < 200; width++)
      expect(measureWidth(formatFooter(INPUT, width))).toBeLessThanOrEqual(width);
  });

  test('omits what is not known', () => {
    const state = { model: null, thinkingLevel: 'off', trusted: false } as const;
    const unknown = {
      state,
      cost: 0,
      contextPercent: undefined,
      directory: '~',
      branch: undefined,
      extensionTexts: [],
    };
    expect(formatFooter(unknown, 80)).toBe('no model · ~ · /help');
  });
});
