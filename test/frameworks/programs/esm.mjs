// Imports every framework at once, as a large program does, and prints what it got.
import * as ai from 'ai';
import { createRequire } from 'node:module';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { StateGraph } from '@langchain/langgraph';
import { Agent } from '@openai/agents';
import express from 'express';

const require = createRequire(import.meta.url);
const commonJs = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
console.log(Object.keys(ai).length, ai.streamText.name, ai.streamText.length, ai.generateText.name);
console.log(McpServer.name, StreamableHTTPServerTransport.name, commonJs.StreamableHTTPServerTransport.name);
console.log(StateGraph.name, Agent.name, typeof express);
try {
  ai.streamText({});
} catch (error) {
  console.log(error.name, error.message);
}
process.exitCode = 3;
