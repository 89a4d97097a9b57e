'use strict';
// A small heap with something of everything that the rules of DevTools treat apart; run by record-golden.ts.
const { EventEmitter } = require('node:events');
const { writeHeapSnapshot } = require('node:v8');

class Session extends EventEmitter {
  constructor(id, server) {
    super();
    this.id = `session-${id}`;
    this.history = new Map(
      Array.from({ length: 12 }, (_, i) => [`m${id}-${i}`, { role: 'user', content: `text ${id} ${i}` }]),
    );
    this.calls = Array.from({ length: 4 }, (_, i) => ({
      name: `tool${i}`,
      input: { query: `q${id}` },
      at: id + 0.5,
    }));
    this.rope = `${this.id}:`;
    for (let i = 0; i < 5; i++) this.rope += `part ${id} ${i};`;
    this.title = `a long title of session ${id} that is sliced later`.slice(2, 30);
    this.buffer = Buffer.alloc(9000);
    this.floats = new Float64Array(16);
    this.on('message', (text) => server.log.push(text, id));
    this.pending = new Promise((resolve) => this.once('end', resolve)).then(() => this.id);
    server.meta.set(this, { model: 'm', trace: { id } });
    server.index.push(new WeakRef(this));
  }
}

class Server {
  constructor() {
    this.sessions = new Set();
    this.meta = new WeakMap();
    this.index = [];
    this.log = [];
    this.byPattern = [/a+/, /b(c)/];
    this.big = 12345678901234567890n;
    this.symbol = Symbol('server');
    this.bound = this.add.bind(this, 1);
  }

  add(id) {
    this.sessions.add(new Session(id, this));
  }
}

globalThis.server = new Server();
for (let id = 0; id < 60; id++) globalThis.server.add(id);
setTimeout(() => writeHeapSnapshot(process.argv[2]), 30);
