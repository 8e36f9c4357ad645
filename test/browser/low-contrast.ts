// A script for the browser that finds texts which are hard to read.

/** Finds texts with a contrast below 4.5 to 1. */
export const FIND_LOW_CONTRAST = `(() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (walk.currentNode.data.trim() === '' || ['SCRIPT', 'OPTION'].includes(element.tagName)) continue;
    const pair = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) found.add(element.localName + '.' + element.className + ' ' + contrast.toFixed(2));
  }
  return [...found];
})()`;
