// Express 4 with an error handler and a session cookie; also what is bundled by esbuild and started with OpenTelemetry and Sentry.
const express = require('express');

const app = express();
app.use(express.json());
app.post('/chat', (request, response) => response.json({ got: request.body.text }));
app.get('/fails', () => {
  throw new Error('planned');
});
app.use((error, _request, response, _next) => response.status(500).send(error.message));
const server = app.listen(0, '127.0.0.1', async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const headers = { 'content-type': 'application/json', cookie: 'sid=one' };
  for (let i = 0; i < 10; i += 1) {
    const body = JSON.stringify({ threadId: 'one', text: `turn ${i}` });
    console.log(await (await fetch(`${base}/chat`, { method: 'POST', headers, body })).text());
    // The host is loaded once the program runs.
    await new Promise((done) => setTimeout(done, 50));
  }
  console.log(await (await fetch(`${base}/fails`)).text(), (await fetch(`${base}/nowhere`)).status);
  server.close(() => process.exit(6));
  server.closeAllConnections();
});
