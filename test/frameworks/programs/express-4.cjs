// An Express 4 server in CommonJS that nobody wrote for us.
const express = require('express');

const app = express();
app.use(express.json());
app.get('/hello', (request, response) => response.send(`hello ${request.query.name}`));
app.post('/chat', (request, response) => response.json({ got: request.body }));
app.get('/fails', () => {
  throw new Error('planned');
});
app.use((error, request, response, _next) => response.status(500).send(error.message));
const server = app.listen(0, '127.0.0.1', async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  for (let i = 0; i < 30; i += 1) {
    console.log(
      await (await fetch(`${base}/hello?name=${i}`, { headers: { cookie: `sid=${i % 3}` } })).text(),
    );
    const body = JSON.stringify({ threadId: `t${i % 3}`, text: 'x'.repeat(1000) });
    const sent = await fetch(`${base}/chat`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    console.log(sent.status, (await sent.text()).length);
  }
  const failed = await fetch(`${base}/fails`);
  console.log(failed.status, await failed.text(), (await fetch(`${base}/nowhere`)).status);
  server.close(() => process.exit(7));
  server.closeAllConnections();
});
