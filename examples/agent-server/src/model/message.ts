/** One entry of a conversation, in the shape every model API takes. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The tool whose result this is. */
  readonly tool?: string;
}
