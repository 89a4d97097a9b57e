import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { Notice } from '../alert.ts';
import { linesOf, titleOf } from '../notice-text.ts';
import type { AlertSink } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
import { postJson, urlOf } from './web-target.ts';

/** Slack refuses a section of more than 3,000 characters. */
const longestSection = 2900;
const mostLines = 40;

/** An incoming webhook of Slack, or of a chat that takes the same form (Mattermost, Rocket.Chat, Discord with /slack). */
export class SlackSink implements AlertSink {
  readonly name: string;
  readonly #rule: RecipientRule;
  readonly #options: WebTargetOptions;

  constructor(rule: RecipientRule, options: WebTargetOptions = {}) {
    this.name = rule.name;
    this.#rule = rule;
    this.#options = options;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    const url = await urlOf(this.#rule, this.#options);
    const body = JSON.stringify(slackMessage(notice));
    await postJson(url, this.#rule, this.#options, body, { 'content-type': 'application/json' }, signal);
  }
}

/** The message of a notice; names of scopes cannot become links, mentions or formatting in it. */
function slackMessage(notice: Notice): object {
  const lines = linesOf(notice);
  const shown = lines.slice(0, mostLines);
  if (lines.length > mostLines) shown.push(`and ${lines.length - mostLines} more lines`);
  const title = titleOf(notice);
  const text = shown.join('\n');
  return {
    // Shown in notifications, and by chats without support for blocks.
    text: cut(escape(`${title}\n${text}`)),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, 150), emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: cut(text), emoji: false } },
    ],
  };
}

function cut(text: string): string {
  return text.length <= longestSection ? text : `${text.slice(0, longestSection)} ...`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*`~]/g, ' ');
}
