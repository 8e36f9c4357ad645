// Entry point for bundling string-width, so that it does not have to be installed.
export { default as stringWidth } from 'string-width';
