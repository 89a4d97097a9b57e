import './locale.ts';
import 'uplot/dist/uPlot.min.css';
import './style/tokens.css';
import './style/frame.css';
import './style/parts.css';
import './style/pages.css';
import './style/overview.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { startListening } from './live/connect.ts';
import { takeToken } from './live/token.ts';
import { watchRoute } from './route.ts';
import { startTheme } from './theme.ts';

startTheme();
takeToken();
watchRoute();
startListening();
render(<App />, document.getElementById('app') as HTMLElement);
