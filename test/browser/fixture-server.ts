import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApprovalRow, Frame, ScopeRow } from '@plimsoll/host/protocol/frame';
import type {
  AuditRow,
  AutopsyAnswer,
  DecisionBody,
  HistoryRow,
  ProcessRow,
  SessionAnswer,
  SnapshotAnswer,
} from '@plimsoll/host/protocol/api';
import { contentPolicy, pageFile } from './built-page.ts';
import { explanationOf, policyOf } from './story.ts';

export const fixtureToken = 'fixture-token';

/** What the server of a fixture knows; tests change it and tell the page. */
export interface Stage {
  frame: Frame | null;
  scopes: ScopeRow[];
  history: (from: number, to: number, points: number) => readonly HistoryRow[];
  historySpan: { from: number; to: number };
  audit: AuditRow[];
  live: boolean;
  policyFile: string | null;
  /** Refuses every decision. */
  refuses: boolean;
  /** Whose token the fixture's is. */
  as: string;
  snapshot: SnapshotAnswer;
  /** Processes beside the one that is shown. */
  others: ProcessRow[];
  /** Why the process died, when it did. */
  autopsy?: AutopsyAnswer;
}

/** A server with the routes of the real one and numbers that a test makes up. A real process would take hours to show them. */
export class FixtureServer {
  readonly stage: Stage;
  readonly decisions: { readonly id: string; readonly body: DecisionBody }[] = [];
  readonly #streams = new Set<ServerResponse>();
  #close: () => Promise<void> = () => Promise.resolve();
  #port = 0;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Listens; a second start takes the port of the first. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => void server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
  }

  async stop(): Promise<void> {
    this.#streams.clear();
    await this.#close();
  }

  /** Sends a frame to every page. */
  tell(frame: Frame): void {
    this.stage.frame = frame;
    this.#send('frame', frame);
  }

  tellScopes(rows: readonly ScopeRow[], gone: readonly string[] = []): void {
    this.#send('scopes', { at: Date.now(), full: false, rows, gone });
  }

  #send(event: string, data: unknown): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const stream of this.#streams) stream.write(text);
  }

  get #process(): ProcessRow | null {
    const { frame, live } = this.stage;
    if (frame === null) return null;
    return {
      id: live ? String(frame.pid) : 'run-1',
      pid: frame.pid,
      target: frame.target,
      startedAt: frame.startedAt,
      endedAt: live ? null : frame.at,
      state: live ? 'running' : 'ended',
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.address);
    response.setHeader('content-security-policy', contentPolicy);
    response.setHeader('x-content-type-options', 'nosniff');
    if (!url.pathname.startsWith('/api/')) return this.#file(url.pathname, response);
    if (url.pathname === '/api/stream') return this.#stream(response);
    const value = await this.#value(url, request);
    if (value === undefined)
      return json(response, 404, refusal('PLM_FIXTURE_NONE', 'There is no such thing.'));
    return json(response, 200, value);
  }

  #file(path: string, response: ServerResponse): void {
    const file = pageFile(path);
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': file.type, 'cache-control': 'no-store' }).end(file.body);
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    response.write(': here\n\n');
    if (!this.stage.live) return;
    if (this.stage.frame !== null)
      response.write(`event: frame\ndata: ${JSON.stringify(this.stage.frame)}\n\n`);
    const full = { at: Date.now(), full: true, rows: this.stage.scopes, gone: [] };
    response.write(`event: scopes\ndata: ${JSON.stringify(full)}\n\n`);
  }

  async #value(url: URL, request: IncomingMessage): Promise<unknown> {
    const { stage } = this;
    const query = (name: string): number | undefined => {
      const text = url.searchParams.get(name);
      return text === null ? undefined : Number(text);
    };
    const from = query('from') ?? stage.historySpan.from;
    const to = query('to') ?? stage.historySpan.to;
    const points = query('points') ?? 600;
    switch (url.pathname) {
      case '/api/session':
        return this.#session(request);
      case '/api/processes':
        return { processes: [...(this.#process === null ? [] : [this.#process]), ...stage.others] };
      case '/api/frame':
        return stage.frame ?? undefined;
      case '/api/scopes':
        return { at: stage.frame?.at ?? 0, rows: stage.scopes };
      case '/api/scopes/history':
        return {
          path: url.searchParams.get('path'),
          from,
          to,
          resolution: 'raw',
          stepMs: 1000,
          rows: stage.history(from, to, points).map(({ at, used }) => ({
            at,
            bytes: used / 8,
            minBytes: used / 9,
            maxBytes: used / 7,
          })),
        };
      case '/api/history':
        return {
          from,
          to,
          resolution: 'raw',
          stepMs: Math.round((to - from) / points),
          rows: stage.history(from, to, points),
        };
      case '/api/audit': {
        const kind = url.searchParams.get('kind');
        return {
          entries: stage.audit.filter(
            (row) =>
              (kind === null || row.kind === kind) &&
              row.at >= (query('from') ?? 0) &&
              row.at <= (query('to') ?? Infinity),
          ),
          more: false,
        };
      }
      case '/api/approvals':
        return { rows: stage.frame?.governance.approvals ?? [] };
      case '/api/autopsy':
        return stage.autopsy ?? { autopsy: null, story: null, deaths: 0 };
      case '/api/snapshot':
        return stage.snapshot;
      case '/api/policy':
        return policyOf(stage.policyFile, isKnown(request));
      case '/api/policy/explain':
        return explanationOf(url.searchParams.get('scope') ?? '');
      default:
        return url.pathname.startsWith('/api/approvals/') ? this.#decide(url, request) : undefined;
    }
  }

  #session(request: IncomingMessage): SessionAnswer {
    const known = isKnown(request);
    const pid = new URL(request.url ?? '/', this.address).searchParams.get('pid');
    const other = this.stage.others.find((row) => row.id === pid);
    if (other !== undefined)
      return {
        live: true,
        canDecide: known,
        as: known ? this.stage.as : null,
        version: '0.1.0',
        process: other,
      };
    return {
      live: this.stage.live,
      canDecide: known && this.stage.live,
      as: known ? this.stage.as : null,
      version: '0.1.0',
      process: this.#process,
    };
  }

  async #decide(url: URL, request: IncomingMessage): Promise<unknown> {
    if (!isKnown(request) || this.stage.refuses) return undefined;
    const id = decodeURIComponent(url.pathname.slice('/api/approvals/'.length));
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as DecisionBody;
    this.decisions.push({ id, body });
    const { frame } = this.stage;
    if (frame === null) return undefined;
    const decided = (row: ApprovalRow): ApprovalRow => ({
      ...row,
      state: body.decision === 'approve' ? 'approved' : 'denied',
      decidedAt: Date.now(),
      votes: [
        {
          by: 'alice',
          decision: body.decision,
          at: Date.now(),
          channel: 'dashboard',
          comment: body.comment ?? '',
        },
      ],
    });
    const approvals = frame.governance.approvals.map((row) => (row.id === id ? decided(row) : row));
    this.tell({ ...frame, governance: { ...frame.governance, approvals } });
    return { row: approvals.find((row) => row.id === id) };
  }
}

function isKnown(request: IncomingMessage): boolean {
  return request.headers.authorization === `Bearer ${fixtureToken}`;
}

function refusal(code: string, message: string): unknown {
  return { error: { code, message, fix: 'ask for something else.' } };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value));
}
