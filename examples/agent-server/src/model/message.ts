/** One entry of a conversation, in the shape of all model APIs. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The tool whose result this is. */
  readonly tool?: string;
}
