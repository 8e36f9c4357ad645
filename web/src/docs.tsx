// Starts the reference of the API.
import { render } from 'preact';
import { ApiDocs } from './api-docs/api-docs.tsx';
import { startTheme } from './app/theme.ts';

startTheme();
const root = document.getElementById('app');
if (root) render(<ApiDocs />, root);
