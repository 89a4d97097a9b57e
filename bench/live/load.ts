/** The load process: sends requests at a rate, without waiting for answers, until its plan is over. `node load.ts PORT PLAN SECONDS`. */
import http from 'node:http';
import type { LoadPlan } from './program.ts';

const [port, planText, secondsText] = process.argv.slice(2);
const plan = JSON.parse(planText as string) as LoadPlan;
const seconds = Number(secondsText);
const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
const tick = 50;
const started = performance.now();
let names = 0;
const fresh = (): string => `s${process.pid}-${++names}`;
const sessions = Array.from({ length: plan.sessions }, fresh);
const filler = 'what did the harbour master write down about the tide and the load line today? '.repeat(40);
let sent = 0;
let answered = 0;
let failed = 0;
let due = 0;

const timer = setInterval(() => {
  const now = (performance.now() - started) / 1000;
  if (now > seconds) {
    finish();
    return;
  }
  if (plan.untilS !== undefined && now > plan.untilS) return;
  due += (rateAt(now) * tick) / 1000;
  while (due >= 1) {
    due -= 1;
    send();
  }
}, tick);

function rateAt(now: number): number {
  const ramp = plan.rampS === undefined ? 1 : Math.min(1, 0.1 + (0.9 * now) / plan.rampS);
  const burst = plan.burstS !== undefined && now % plan.burstS < 2 ? 5 : 1;
  return plan.rate * ramp * burst;
}

function send(): void {
  const at = Math.floor(Math.random() * sessions.length);
  if (Math.random() < plan.newSession) sessions[at] = fresh();
  const body = JSON.stringify({ session: sessions[at], text: filler.slice(0, plan.bodyBytes) });
  sent++;
  const request = http.request(
    { port: Number(port), host: '127.0.0.1', method: 'POST', path: '/chat', agent, timeout: 60_000 },
    (response) => {
      response.resume().once('end', () => answered++);
    },
  );
  request.once('error', () => failed++);
  request.setHeader('content-type', 'application/json');
  request.end(body);
}

function finish(): void {
  clearInterval(timer);
  agent.destroy();
  process.stdout.write(`${JSON.stringify({ sent, answered, failed })}\n`);
  process.exit(0);
}
process.on('SIGTERM', finish);
