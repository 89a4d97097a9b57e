// NestJS without decorators' compiler: the decorators are called by hand, so that no build step is needed.
require('reflect-metadata');
const { Controller, Get, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');

class Hello {
  hello() {
    return { hello: 'nest' };
  }
}
Controller('hello')(Hello);
Get()(Hello.prototype, 'hello', Object.getOwnPropertyDescriptor(Hello.prototype, 'hello'));
const App = function App() {};
Module({ controllers: [Hello] })(App);

void NestFactory.create(App, { logger: false }).then(async (app) => {
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/hello`;
  for (let i = 0; i < 10; i += 1) {
    console.log(await (await fetch(url)).text());
    // The host is loaded once the program runs.
    await new Promise((done) => setTimeout(done, 50));
  }
  await app.close();
  process.exit(4);
});
